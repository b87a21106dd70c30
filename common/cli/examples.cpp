// SPDX-License-Identifier: Apache-2.0
// Typical command lines per subcommand.
#include "common/cli/examples.hpp"

#include <map>
#include <string>

#include "common/base/text.hpp"

namespace scalemark::cli {
namespace {

const std::map<std::string, std::vector<std::string>> kExamples = {
    {"run",
     {"mpirun -n 2 --bind-to none scalemark run --preset quick -o a.h5",
      "mpirun -n 2 --bind-to none scalemark run micro/allreduce -b 8 -e 1M -f 4",
      "mpirun -n 2 --bind-to none scalemark run --preset quick -o a.h5 --resume",
      "scalemark run --preset paper-imaging-pin --dry-run"}},
    {"list", {"scalemark list", "scalemark list -v micro/memcpy", "scalemark list --json"}},
    {"info", {"scalemark info", "scalemark info --json"}},
    {"show",
     {"scalemark show a.h5", "scalemark show a.h5 micro/allreduce --format csv",
      "scalemark show a.h5 --format osu --decimals 5"}},
    {"study",
     {"scalemark study", "scalemark study table-3 pin.h5",
      "scalemark study runs/ --format markdown"}},
    {"plan",
     {"scalemark plan --preset quick --ranks 2", "scalemark plan --preset quick --from base/",
      "scalemark plan --preset nccl-tests --ranks 64 --ranks-per-node 4 --gpu --from base/"}},
    {"predict",
     {"scalemark predict --simulate allreduce_ring --ranks 8 --bytes 1048576 --loggps "
      "L=2500,o=1500,g=1000,G=6",
      "scalemark predict --from a.h5 b.h5 --workload micro/allreduce -a ranks=64,128 -a "
      "bytes=1M",
      "scalemark predict --from here/ --machine there/ --workload imaging/train"}},
    {"fleet", {"scalemark fleet screening.h5", "scalemark fleet fleet/ --hosts fleet/hosts"}},
    {"campaign",
     {"scalemark campaign jobscripts/campaign.toml",
      "scalemark campaign jobscripts/campaign.toml --cluster here --format json"}},
    {"compare",
     {"scalemark compare base/ --against new/", "scalemark compare base/ --aa",
      "scalemark compare base/ --power"}},
    {"baseline",
     {"scalemark baseline base/ -o base.h5", "scalemark compare base.h5 --against new.h5"}},
    {"report",
     {"scalemark report new/ -o report.html",
      "scalemark report new/ --base base/ -o changes.html"}},
    {"verify",
     {"scalemark verify tests/golden/imaging.json",
      "scalemark verify tests/golden/llama.json --precision fp32"}},
    {"finalize", {"scalemark finalize a.h5.parts -o a.h5"}},
    {"schema", {"scalemark schema"}},
    {"import", {"scalemark import osu.txt -o osu.h5", "scalemark import runs.jsonl -o runs.h5"}},
    {"export", {"scalemark export a.h5 --to csv", "scalemark export a.h5 --to fom"}},
    {"completion",
     {"source <(scalemark completion bash)", "scalemark completion fish > scalemark.fish"}},
    {"man", {"scalemark man run > scalemark-run.1 && man ./scalemark-run.1"}},
};

}  // namespace

void add_examples(CLI::App& app) {
  for (CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    const auto found = kExamples.find(command->get_name());
    if (found == kExamples.end()) continue;
    const std::string before = command->get_footer();
    command->footer((before.empty() ? "" : before + "\n\n") + "Examples:\n  " +
                    text::join(found->second, "\n  "));
  }
}

}  // namespace scalemark::cli
