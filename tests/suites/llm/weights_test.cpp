// SPDX-License-Identifier: Apache-2.0
// Weights and adapters in files: names, rows, types, and files that do not fit.
#include "suites/llm/io/weights.hpp"

#include <cmath>
#include <fstream>
#include <functional>
#include <regex>
#include <set>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <torch/utils.h>

#include "common/base/error.hpp"
#include "common/torch/files/safetensors.hpp"
#include "suites/llm/io/adapters.hpp"
#include "tests/suites/llm/small_config.hpp"
#include "tests/support/temp_dir.hpp"

namespace scalemark::llm {
namespace {

using ::testing::HasSubstr;
using torch_support::NamedTensors;

Llama model_of(std::uint64_t seed, const LlamaConfig& config = small_config(),
               torch::ScalarType type = torch::kFloat32) {
  torch::manual_seed(seed);
  Llama model(config, torch::TensorOptions(type));
  const torch::NoGradGuard no_grad;
  for (auto& item : model->named_parameters())  // norms begin as ones
    item.value().add_(torch::randn_like(item.value()), 0.1);
  return model;
}

torch::Tensor logits(Llama& model) {
  const torch::NoGradGuard no_grad;
  return model(torch::tensor({{1, 5, 9, 30, 2}, {7, 7, 0, 3, 31}}));
}

std::string replaced(std::string text, const std::vector<std::pair<const char*, const char*>>& by) {
  for (const auto& [what, with] : by) text = std::regex_replace(text, std::regex(what), with);
  return text;
}

/// Rows of each head: first those of even index, then those of odd index.
torch::Tensor even_then_odd(const torch::Tensor& weight, std::int64_t heads) {
  std::vector<torch::Tensor> rows;
  const std::int64_t size = weight.size(0) / heads;
  for (std::int64_t head = 0; head < heads; ++head) {
    for (const std::int64_t first : {0, 1}) {
      for (std::int64_t i = first; i < size; i += 2) rows.push_back(weight[head * size + i]);
    }
  }
  return torch::stack(rows);
}

/// What transformers would save.
NamedTensors hugging_face(const Llama& model, const LlamaConfig& config = small_config()) {
  NamedTensors tensors;
  for (const auto& item : model->named_parameters()) {
    torch::Tensor tensor = item.value().detach().clone();
    if (item.key().find("q_proj") != std::string::npos)
      tensor = even_then_odd(tensor, config.heads);
    if (item.key().find("k_proj") != std::string::npos)
      tensor = even_then_odd(tensor, config.kv_heads);
    tensors[replaced(item.key(), {{"^(layers|norm)", "model.$1"},
                                  {"attn\\.output_proj", "attn.o_proj"},
                                  {"attn\\.", "self_attn."},
                                  {"w1", "gate_proj"},
                                  {"w2", "down_proj"},
                                  {"w3", "up_proj"},
                                  {"sa_norm", "input_layernorm"},
                                  {"mlp_norm", "post_attention_layernorm"},
                                  {"scale", "weight"},
                                  {"^tok_embeddings", "model.embed_tokens"},
                                  {"^output", "lm_head"}})] = tensor;
  }
  return tensors;
}

/// What Meta's files hold.
NamedTensors meta(const Llama& model) {
  NamedTensors tensors;
  for (const auto& item : model->named_parameters()) {
    tensors[replaced(item.key(), {{"attn\\.(.)_proj", "attention.w$1"},
                                  {"attn\\.output_proj", "attention.wo"},
                                  {"mlp\\.", "feed_forward."},
                                  {"sa_norm", "attention_norm"},
                                  {"mlp_norm", "ffn_norm"},
                                  {"scale", "weight"}})] = item.value().detach().clone();
  }
  return tensors;
}

class Weights : public testing::Test {
 protected:
  std::filesystem::path write(const NamedTensors& tensors) {
    torch_support::write_safetensors(folder_ / "w.safetensors", tensors);
    return folder_ / "w.safetensors";
  }
  std::filesystem::path write_shards(const NamedTensors& tensors) {
    NamedTensors parts[2];
    nlohmann::json map;
    for (const auto& [name, tensor] : tensors) {
      const std::size_t which = map.size() % 2;
      parts[which][name] = tensor;
      map[name] = which == 0 ? "a.safetensors" : "b.safetensors";
    }
    torch_support::write_safetensors(folder_ / "a.safetensors", parts[0]);
    torch_support::write_safetensors(folder_ / "b.safetensors", parts[1]);
    std::ofstream(folder_ / "w.safetensors.index.json") << nlohmann::json{{"weight_map", map}};
    return folder_ / "w.safetensors.index.json";
  }
  /// Why weights of a model, changed, are refused.
  std::string refusal(const std::function<void(NamedTensors&)>& change,
                      const LlamaConfig& config = small_config()) {
    NamedTensors weights = hugging_face(model_of(1, config), config);
    change(weights);
    try {
      const WeightsFile file(write(weights), config);
    } catch (const InputError& error) {
      return replaced(error.what(), {{"^.*/", ""}});
    }
    return "(taken)";
  }
  test::TempDir folder_;
};

TEST(WeightNames, AreThoseOfTransformersAndOfMeta) {
  const std::set<std::string> in_layer{
      "model.layers.1.self_attn.q_proj.weight",        "model.layers.1.self_attn.k_proj.weight",
      "model.layers.1.self_attn.v_proj.weight",        "model.layers.1.self_attn.o_proj.weight",
      "model.layers.1.mlp.gate_proj.weight",           "model.layers.1.mlp.up_proj.weight",
      "model.layers.1.mlp.down_proj.weight",           "model.layers.1.input_layernorm.weight",
      "model.layers.1.post_attention_layernorm.weight"};
  std::set<std::string> named;
  const Llama model = model_of(1);
  const NamedTensors theirs = hugging_face(model), metas = meta(model);
  for (const auto& item : model->named_parameters()) {
    const std::string name = name_in_file(item.key(), Naming::hugging_face);
    if (name.find("layers.1.") != std::string::npos) named.insert(name);
    EXPECT_TRUE(theirs.contains(name)) << name;
    EXPECT_TRUE(metas.contains(name_in_file(item.key(), Naming::meta))) << item.key();
  }
  EXPECT_EQ(named, in_layer);
  EXPECT_EQ(name_in_file("layers.12.attn.output_proj.weight", Naming::meta),
            "layers.12.attention.wo.weight");
  EXPECT_THROW(name_in_file("layers.0.attn.q_proj.lora_a.weight", Naming::meta), Error);
}

TEST(WeightRows, GiveTheSameScoresAsTransformersRotation) {
  const LlamaConfig config = small_config();
  const std::int64_t size = config.head_dim(), half = size / 2, position = 3;
  const auto options = torch::TensorOptions(torch::kFloat64);
  torch::manual_seed(2);
  const torch::Tensor weight = torch::randn({config.heads * size, config.dim}, options);
  const torch::Tensor x = torch::randn({config.dim}, options);
  const torch::Tensor ours =
      rotate(weight.matmul(x).view({1, 1, config.heads, size}),
             rotation_table(config, position + 1, options).narrow(0, position, 1))
          .view({config.heads, size});
  // transformers: q cos + (-second half, first half) sin, the angles of a head twice over.
  const torch::Tensor q = split_pairs(weight, config.heads).matmul(x).view({config.heads, size});
  const torch::Tensor angle =
      position * torch::pow(config.rope_base, -torch::arange(half, options) / half);
  const torch::Tensor twice = torch::cat({angle, angle});
  const torch::Tensor turned = torch::cat({-q.narrow(1, half, half), q.narrow(1, 0, half)}, 1);
  const torch::Tensor theirs = q * twice.cos() + turned * twice.sin();
  EXPECT_TRUE(torch::allclose(split_pairs(ours.flatten(), config.heads).view_as(theirs), theirs,
                              1e-12, 1e-12));
  EXPECT_TRUE(join_pairs(split_pairs(weight, config.heads), config.heads).equal(weight));
  EXPECT_TRUE(split_pairs(weight, config.heads).equal(even_then_odd(weight, config.heads)));
}

TEST_F(Weights, OfBothNamingsInOneFileOrSeveralGiveTheSameLogits) {
  Llama written = model_of(1);
  std::set<std::uint64_t> fingerprints;
  const auto expect = [&](const std::filesystem::path& path, Naming naming) {
    Llama read = model_of(2);
    EXPECT_FALSE(logits(read).equal(logits(written)));
    const WeightsFile file(path, small_config());
    EXPECT_EQ(file.naming(), naming);
    file.copy_into(*read);
    EXPECT_TRUE(logits(read).equal(logits(written))) << path;
    Llama by_parts = model_of(2);
    for (const auto& part : by_parts->named_children())
      file.copy_into(*part.value(), part.key() + ".");
    EXPECT_TRUE(logits(by_parts).equal(logits(written))) << path;
    fingerprints.insert(file.fingerprint());
  };
  expect(write(hugging_face(written)), Naming::hugging_face);
  expect(write_shards(hugging_face(written)), Naming::hugging_face);
  EXPECT_EQ(fingerprints.size(), 1U) << "the same tensors";
  expect(write(meta(written)), Naming::meta);
  expect(write_shards(meta(written)), Naming::meta);
  EXPECT_EQ(fingerprints.size(), 2U);
}

TEST_F(Weights, AreConvertedToTheModelsType) {
  const Llama written = model_of(1);
  NamedTensors weights = meta(written);
  for (auto& [name, tensor] : weights) tensor = tensor.to(torch::kBFloat16);
  const WeightsFile file(write(weights), small_config());
  for (const auto type : {torch::kFloat64, torch::kFloat32, torch::kBFloat16}) {
    Llama read = model_of(2, small_config(), type);
    file.copy_into(*read);
    for (const auto& item : written->named_parameters()) {
      const torch::Tensor now = read->named_parameters()[item.key()];
      EXPECT_EQ(now.scalar_type(), type);
      EXPECT_TRUE(now.equal(item.value().to(torch::kBFloat16).to(type))) << item.key();
    }
  }
}

TEST_F(Weights, ATiedHeadMayBeThereIfItIsTheEmbedding) {
  LlamaConfig tied = small_config();
  tied.tied_output = true;
  const auto with_head = [](torch::Tensor head) {
    return [head](NamedTensors& w) {
      w["lm_head.weight"] = head.defined() ? head : w.at("model.embed_tokens.weight").clone();
    };
  };
  EXPECT_EQ(refusal([](NamedTensors&) {}, tied), "(taken)");
  EXPECT_EQ(refusal(with_head({}), tied), "(taken)");
  EXPECT_EQ(refusal(with_head(torch::zeros({32, 16})), tied),
            "w.safetensors: 'lm_head.weight' is not the embedding, to which the model ties it");
  EXPECT_EQ(refusal([](NamedTensors& w) { w.erase("lm_head.weight"); }),
            "w.safetensors: 'lm_head.weight' is missing");
}

TEST_F(Weights, ThatDoNotFitAreRefusedWithTheReason) {
  EXPECT_EQ(refusal([](NamedTensors&) {}), "(taken)");
  EXPECT_EQ(refusal([](NamedTensors& w) { w.erase("model.layers.1.mlp.up_proj.weight"); }),
            "w.safetensors: 'model.layers.1.mlp.up_proj.weight' is missing");
  EXPECT_EQ(
      refusal([](NamedTensors& w) { w["model.layers.2.mlp.up_proj.weight"] = torch::zeros({1}); }),
      "w.safetensors: the model has no 'model.layers.2.mlp.up_proj.weight' (names are read as "
      "those of hugging_face)");
  EXPECT_EQ(refusal([](NamedTensors& w) { w["model.norm.weight"] = torch::zeros({17}); }),
            "w.safetensors: 'model.norm.weight' is of shape [17], the model's of [16]");
  for (const auto type : {torch::kInt64, torch::kFloat8_e4m3fn}) {
    EXPECT_THAT(
        refusal([&](NamedTensors& w) { w["model.norm.weight"] = torch::zeros({16}).to(type); }),
        HasSubstr("allowed: F64, F32, F16, BF16"));
  }
  EXPECT_THROW(WeightsFile(folder_ / "none.safetensors", small_config()), InputError);
  const std::filesystem::path whole = write(meta(model_of(1)));
  std::filesystem::resize_file(whole, std::filesystem::file_size(whole) - 1);
  EXPECT_THROW(WeightsFile(whole, small_config()), InputError);
}

Llama adapted_model() {
  Llama model = model_of(3, small_config(), torch::kFloat64);
  add_lora(*model, {.modules = {"q_proj", "k_proj", "v_proj", "output_proj", "w1", "w2", "w3"}});
  const torch::NoGradGuard no_grad;
  for (torch::Tensor& parameter : trainable_parameters(*model)) parameter.normal_(0, 0.1);
  return model;
}

TEST(Adapters, HavePeftsNamesAndShapes) {
  const LlamaConfig config = small_config();
  const NamedTensors adapters = peft_adapters(lora_parameters(*adapted_model()), config);
  ASSERT_EQ(adapters.size(), 2U * 7 * 2) << "layers, matrices, A and B";
  const std::string layer = "base_model.model.model.layers.1.";
  const std::vector<std::pair<std::string, std::vector<std::int64_t>>> known{
      {"self_attn.q_proj.lora_A.weight", {8, 16}}, {"self_attn.q_proj.lora_B.weight", {16, 8}},
      {"self_attn.k_proj.lora_B.weight", {8, 8}},  {"self_attn.o_proj.lora_A.weight", {8, 16}},
      {"mlp.gate_proj.lora_B.weight", {24, 8}},    {"mlp.up_proj.lora_A.weight", {8, 16}},
      {"mlp.down_proj.lora_A.weight", {8, 24}}};
  for (const auto& [name, shape] : known) {
    ASSERT_TRUE(adapters.contains(layer + name)) << name;
    EXPECT_EQ(adapters.at(layer + name).sizes().vec(), shape) << name;
  }
  EXPECT_TRUE(lora_parameters(*model_of(1)).empty());
}

TEST(Adapters, AddedToWeightsAsPeftAddsThemGiveTheSameLogits) {
  Llama model = adapted_model();
  const LlamaConfig config = small_config();
  NamedTensors merged = hugging_face(model, config);
  for (const auto& [name, b] : peft_adapters(lora_parameters(*model), config)) {
    const std::string marker = ".lora_B.weight";
    if (!name.ends_with(marker)) continue;
    const std::string module = name.substr(0, name.size() - marker.size());
    const torch::Tensor a =
        peft_adapters(lora_parameters(*model), config).at(module + ".lora_A.weight");
    merged.at(module.substr(std::string("base_model.model.").size()) + ".weight") +=
        16.0 / 8 * b.matmul(a);
  }
  std::erase_if(merged,
                [](const auto& one) { return one.first.find("lora") != std::string::npos; });
  const test::TempDir folder;
  torch_support::write_safetensors(folder / "w.safetensors", merged);
  Llama plain = model_of(4, config, torch::kFloat64);
  WeightsFile(folder / "w.safetensors", config).copy_into(*plain);
  EXPECT_TRUE(torch::allclose(logits(plain), logits(model), 1e-10, 1e-12));
}

TEST(Adapters, FilesAreThosePeftReads) {
  const test::TempDir folder;
  const NamedTensors adapters = peft_adapters(lora_parameters(*adapted_model()), small_config());
  write_adapters(folder.path(), adapters, {});
  const NamedTensors read = torch_support::read_safetensors(folder / "adapter_model.safetensors");
  ASSERT_EQ(read.size(), adapters.size());
  for (const auto& [name, tensor] : adapters) EXPECT_TRUE(read.at(name).equal(tensor)) << name;
  std::stringstream text;
  text << std::ifstream(folder / "adapter_config.json").rdbuf();
  const nlohmann::json config = nlohmann::json::parse(text.str());
  EXPECT_EQ(config["peft_type"], "LORA");
  EXPECT_EQ(config["task_type"], "CAUSAL_LM");
  EXPECT_EQ(config["r"], 8);
  EXPECT_EQ(config["lora_alpha"], 16);
  EXPECT_EQ(config["target_modules"], nlohmann::json({"down_proj", "gate_proj", "k_proj", "o_proj",
                                                      "q_proj", "up_proj", "v_proj"}));
  EXPECT_TRUE(config["base_model_name_or_path"].is_null());
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    names.insert(entry.path().filename().string());
  EXPECT_EQ(names, (std::set<std::string>{"adapter_config.json", "adapter_model.safetensors"}));
  EXPECT_THROW(write_adapters(folder / "none", adapters, {}), Error);
}

}  // namespace
}  // namespace scalemark::llm
