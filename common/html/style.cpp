// SPDX-License-Identifier: Apache-2.0
// The style sheet. Classes s0 to s7 are the colours of series, distinguishable with colour
// blindness; h0 to h8 are the steps of heat maps.
#include "common/html/style.hpp"

namespace scalemark::html {

std::string_view style() {
  return R"CSS(:root{color-scheme:light dark;--bg:#fff;--fg:#1b1f24;--soft:#59636e;--line:#d3d9e0;--card:#f6f8fa;--link:#0a58b5;
--good:#0b6b3a;--bad:#b3261e;--warn:#7a5200;--ref:#59636e;
--s0:#0067a8;--s1:#c44e00;--s2:#007a58;--s3:#a8397f;--s4:#7d6200;--s5:#2d7fc1;--s6:#6a3d9a;--s7:#4a4a4a;
--h0:#2166ac;--h1:#92c5de;--h2:#f1f3f5;--h3:#fee8c8;--h4:#fdbb84;--h5:#fc8d59;--h6:#e34a33;--h7:#b30000;--h8:#5c0000}
@media screen and (prefers-color-scheme:dark){:root{--bg:#14181d;--fg:#e3e8ee;--soft:#9fabb8;--line:#38414b;--card:#1d232a;--link:#7fb8ff;
--good:#5ad08f;--bad:#ff8a80;--warn:#f0c04d;--ref:#9fabb8;
--s0:#63b3f2;--s1:#ff9d57;--s2:#45cfa3;--s3:#ef9acb;--s4:#e2c64f;--s5:#a5d3ff;--s6:#bd9df0;--s7:#c4c4c4;
--h0:#4393c3;--h1:#2c5571;--h2:#232a32;--h3:#4d3b25;--h4:#7d4f22;--h5:#b5601f;--h6:#e0702f;--h7:#ff8f5a;--h8:#ffd0b5}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;scroll-behavior:auto}
body{margin:0 auto;padding:0 16px 48px;max-width:1280px;background:var(--bg);color:var(--fg);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;overflow-wrap:anywhere}
h1{font-size:1.6rem;margin:24px 0 4px;line-height:1.25}h2{font-size:1.25rem;margin:40px 0 8px;padding-top:8px;border-top:1px solid var(--line)}h3{font-size:1.05rem;margin:24px 0 6px}
p{margin:6px 0;max-width:75ch}a{color:var(--link)}code{font:.92em ui-monospace,Menlo,Consolas,monospace}
.note,.sub,caption,footer{color:var(--soft);font-size:.9rem}footer{margin-top:40px;border-top:1px solid var(--line);padding-top:8px}
.verdict{display:block;margin:16px 0;padding:12px 16px;border:1px solid var(--line);border-left:8px solid var(--ref);background:var(--card);border-radius:4px}
.verdict b{display:block;font-size:1.35rem}.verdict.good{border-left-color:var(--good)}.verdict.bad{border-left-color:var(--bad)}.verdict.warn{border-left-color:var(--warn)}
.good{color:var(--good);font-weight:600}.bad{color:var(--bad);font-weight:600}.warn{color:var(--warn);font-weight:600}
.verdict.good,.verdict.bad,.verdict.warn{color:inherit;font-weight:inherit}.verdict.good b{color:var(--good)}.verdict.bad b{color:var(--bad)}.verdict.warn b{color:var(--warn)}
nav ol{display:flex;flex-wrap:wrap;gap:4px 16px;margin:12px 0;padding:0;list-style:none}nav a{display:inline-block;padding:4px 0}
.long{min-width:640px}.wide{overflow-x:auto;max-width:100%;margin:8px 0}.wide:focus-visible{outline:2px solid var(--link)}
table{border-collapse:collapse;font-size:.875rem;font-variant-numeric:tabular-nums}caption{text-align:left;padding:4px 0}
th,td{padding:3px 10px 3px 0;border-bottom:1px solid var(--line);text-align:left;vertical-align:top;overflow-wrap:normal;unicode-bidi:isolate}
td{white-space:nowrap}td.w{white-space:normal;min-width:15rem;max-width:34rem}th{font-weight:600;white-space:nowrap}td.n,th.n{text-align:right}tbody tr:hover{background:var(--card)}
details{margin:8px 0}summary{cursor:pointer;color:var(--link);padding:2px 0}
textarea{width:100%;height:16rem;font:13px/1.4 ui-monospace,Menlo,Consolas,monospace;background:var(--card);color:var(--fg);border:1px solid var(--line)}
.grid{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,350px),1fr));gap:24px 24px;align-items:start;margin:12px 0}
.grid>*{min-width:0}figure{margin:0;min-width:0;max-width:460px}figure.broad{max-width:none}figcaption{font-size:.9rem;font-weight:600}
.sub{font-weight:400;display:block}
svg{display:block;width:100%;height:auto;font-family:inherit}svg text{fill:var(--fg);font-size:11.5px}svg text.q{fill:var(--soft)}svg text.i{fill:var(--bg);font-weight:600}svg .e{text-anchor:end}svg .m{text-anchor:middle}
svg .g{stroke:var(--line);fill:none}svg .a{stroke:var(--soft);fill:none}svg .r{stroke:var(--ref);fill:none;stroke-dasharray:6 3}svg .l{fill:none;stroke-width:1.8;stroke-linejoin:round}svg .t{stroke-width:1.4}
svg .b{stroke:none;opacity:.22}svg .k{fill:var(--card);stroke:var(--line)}svg .c{fill:var(--bg);stroke:var(--soft)}
.legend{list-style:none;margin:4px 0;padding:0;font-size:.83rem;display:flex;flex-wrap:wrap;gap:2px 14px}.legend li{display:flex;gap:6px;align-items:flex-start;min-width:0}.legend svg{flex:none;width:34px;height:14px;margin-top:4px}
.s0{stroke:var(--s0);color:var(--s0)}.s1{stroke:var(--s1);color:var(--s1)}.s2{stroke:var(--s2);color:var(--s2)}.s3{stroke:var(--s3);color:var(--s3)}.s4{stroke:var(--s4);color:var(--s4)}.s5{stroke:var(--s5);color:var(--s5)}.s6{stroke:var(--s6);color:var(--s6)}.s7{stroke:var(--s7);color:var(--s7)}
.d1{stroke-dasharray:7 3}.d2{stroke-dasharray:2 2.5}.d3{stroke-dasharray:9 3 2 3}.d4{stroke-dasharray:4 4}.d5{stroke-dasharray:12 4}.d6{stroke-dasharray:1 3}.d7{stroke-dasharray:6 2 1 2 1 2}
.p{stroke-dasharray:none;stroke-width:1.3;fill:var(--bg)}.f{fill:currentColor}
.vo{fill:var(--good)}.vs{fill:var(--warn)}.vb{fill:var(--bad)}.vu{fill:var(--soft)}
.h0{fill:var(--h0)}.h1{fill:var(--h1)}.h2{fill:var(--h2)}.h3{fill:var(--h3)}.h4{fill:var(--h4)}.h5{fill:var(--h5)}.h6{fill:var(--h6)}.h7{fill:var(--h7)}.h8{fill:var(--h8)}
.first{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,1fr);gap:16px 24px;align-items:start;margin:12px 0}
.tiles{list-style:none;margin:0;padding:0;display:grid;grid-template-columns:repeat(auto-fill,minmax(170px,1fr));gap:10px}
.tiles li{border:1px solid var(--line);border-radius:4px;background:var(--card);padding:8px 12px;min-width:0;font-size:.875rem;line-height:1.4}.tiles li>span{display:block}
.tiles b{display:block;font-size:1.3rem;line-height:1.35;font-variant-numeric:tabular-nums}.tiles small{font-size:.875rem;font-weight:400;color:var(--soft)}.tiles .other{font-size:1rem;font-variant-numeric:tabular-nums}
.card{border:1px solid var(--line);border-radius:4px;padding:4px 12px;margin:0}.card table{width:100%}.card tr:last-child>*{border-bottom:0}.card td{white-space:normal;overflow-wrap:anywhere}.card td,.card th{padding:2px 10px 2px 0}.card tbody th{color:var(--soft);font-weight:400}
.forest,.bars{font-size:.875rem;font-variant-numeric:tabular-nums}
.fr{display:grid;grid-template-columns:minmax(0,24rem) minmax(0,1fr) 14rem;gap:0 12px;align-items:center;border-bottom:1px solid var(--line)}
.fl{padding:3px 0;line-height:1.35;min-width:0}.fl .q,.bt .q{color:var(--soft)}.fn{text-align:right}.fh{font-weight:600}.fx,.fd{border:0}
.fp{position:relative;align-self:stretch;min-height:26px}.fp i{position:absolute}.fp.s0,.fp.s1,.fp.s2,.fp.s4{stroke:none}
.fb{top:0;bottom:0;min-width:2px;background:var(--ref);opacity:.22}.fg,.fz{top:0;bottom:0;border-left:1px solid var(--line)}.fz{border-color:var(--soft)}
.fi{top:calc(50% - 1px);height:2px;background:currentColor}.fm{top:calc(50% - 5px);width:10px;height:10px;margin-left:-5px;border-radius:50%;background:var(--bg);border:2.5px solid currentColor}
.fa{top:calc(50% - 5px);border:5px solid transparent}.fal{border-right:8px solid currentColor;margin-left:-12px}.far{border-left:8px solid currentColor}
.ft{position:absolute;transform:translateX(-50%);color:var(--soft);white-space:nowrap}.fw{display:flex;justify-content:space-between;gap:8px}
.bg{padding:4px 0;border-bottom:1px solid var(--line)}.bt{display:block;font-weight:600}.bt .q{font-weight:400}
.br{display:grid;grid-template-columns:minmax(0,24rem) minmax(0,1fr) 11rem;gap:0 12px;align-items:center;padding:1px 0}.brief .br{grid-template-columns:minmax(0,10rem) minmax(0,1fr) 11rem}.bl{min-width:0;line-height:1.3}.bp i{display:block;height:13px;min-width:1px;background:currentColor;border-radius:0 2px 2px 0}.bn{text-align:right}
.tiles:has(>li:nth-child(4):last-child){grid-template-columns:repeat(2,minmax(0,1fr))}
@media (max-width:900px){.first{grid-template-columns:minmax(0,1fr)}}
@media (max-width:600px){.fr{grid-template-columns:minmax(0,1fr)}.fr .fn{grid-row:2;text-align:left}.fr .fp,.fd .fw{grid-row:3}.fh .fl{display:none}.br,.brief .br{grid-template-columns:minmax(0,1fr) auto}.br .bn{grid-row:1;grid-column:2;max-width:12rem}.fp{min-height:22px}.br .bp{grid-row:2;grid-column:1/3}.tiles{grid-template-columns:repeat(2,minmax(0,1fr));gap:8px}.tiles li{padding:6px 8px}.tiles b{font-size:1.1rem}
.cards thead{display:none}.cards,.cards tbody,.cards caption{display:block}.cards tr{display:flex;flex-wrap:wrap;gap:0 12px;padding:6px 0;border-bottom:1px solid var(--line)}.cards td{border:0;padding:1px 0}.cards td:empty{display:none}.cards td.w{flex-basis:100%;min-width:0}.cards td[data-h]:not(.good):not(.bad):not(.warn)::before{content:attr(data-h) " ";color:var(--soft)}}
@media (max-width:600px){body{padding:0 12px 32px}h1{font-size:1.35rem}nav ol{display:grid;grid-template-columns:1fr 1fr;gap:0 12px;font-size:.9rem}figure{max-width:none}}
@media print{:root{color-scheme:light}body{max-width:none;font-size:10pt;padding:0}nav,.copy{display:none}figure:not(.broad),tr,.verdict,.fr,.bg,.tiles li{break-inside:avoid}h2,h3{break-after:avoid}.wide{overflow:visible}a{color:inherit;text-decoration:none}.grid{grid-template-columns:repeat(2,1fr)}
*{print-color-adjust:exact;-webkit-print-color-adjust:exact}}
)CSS";
}

}  // namespace scalemark::html
