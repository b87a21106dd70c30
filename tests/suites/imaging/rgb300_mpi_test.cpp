// SPDX-License-Identifier: Apache-2.0
// Scenario b in a case, on 1 and 2 ranks: made once, loaded in both ways, damaged files refused.
#include <filesystem>
#include <fstream>
#include <memory>

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/version.hpp"
#include "common/torch/sampler.hpp"
#include "suites/imaging/data/data_set.hpp"
#include "suites/imaging/data/images.hpp"
#include "tests/suites/imaging/train_case.hpp"
#include "tests/support/temp_dir.hpp"

namespace scalemark::imaging {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr std::int64_t kTrain = 12, kTest = 5;

/// One folder for all ranks, gone with rank 0's.
class CommonFolder {
 public:
  CommonFolder()
      : own_(root() ? std::make_unique<test::TempDir>() : nullptr),
        path_(test::world().broadcast(own_ ? own_->path().string() : "")) {}
  ~CommonFolder() { test::world().barrier(); }
  CommonFolder(const CommonFolder&) = delete;
  CommonFolder& operator=(const CommonFolder&) = delete;
  fs::path operator/(const std::string& name) const { return fs::path(path_) / name; }
  SessionOptions options() const {
    SessionOptions result;
    result.data["rgb300"] = path_;
    return result;
  }

 private:
  std::unique_ptr<test::TempDir> own_;
  std::string path_;
};

/// Whether this build has the DALI loader: then it is tested, and must work.
bool has_dali() { return build_info().at("dali").starts_with("on: "); }

/// Batches of a loader over the training pictures, and the first test picture prepared.
std::vector<at::Tensor> batches;

void take_batches(Case& c) {
  LoaderOptions loading{.image = c.integer("image"), .batch = 4};
  loading.type = c.text("type") == "fp64" ? at::kDouble : at::kFloat;
  loading.format = c.flag("nhwc") ? at::MemoryFormat::ChannelsLast : at::MemoryFormat::Contiguous;
  loading.workers = static_cast<int>(c.integer("workers"));
  loading.mean = kMnistMean;
  loading.std = kMnistStd;
  const DataSet data = load_data_set(c, {.train = kTrain, .test = kTest, .loading = loading});
  EXPECT_EQ(data.train.labels.size(0), kTrain);
  EXPECT_EQ(data.test.labels.size(0), kTest);
  {
    const auto loader = make_loader(c.text("loader"), data.train, loading);
    batches.clear();
    loader->start(torch_support::sampler_indices({.samples = kTrain}));
    for (std::int64_t i = 0; i < kTrain / loading.batch; ++i) {
      const Batch batch = loader->next();
      EXPECT_TRUE(batch.images.is_contiguous(loading.format));
      batches.push_back(batch.images.clone());
      batches.push_back(batch.labels.clone());
    }
    const at::Tensor last = at::full({1}, kTest - 1, at::kLong);
    batches.push_back(prepare(pixels_of(data.test, last), loading).clone());
    batches.push_back(data.test.labels.clone());
  }
  record_loading(c, data);
}

TrainRun run_batches(const std::vector<std::string>& axes, const SessionOptions& given) {
  SessionOptions options = given;
  options.placement = hardware::Policy::none;
  Session session(test::world(), options);
  Registry registry;
  registry.add(Benchmark("test/batches", take_batches))
      .with(data_set_axes)
      .axis("loader", {.values = loader_names(), .defaults = {"threads"}})
      .axis("type",
            {.values = {"fp32", "fp64"}, .defaults = {"fp32"}, .doc = "Type of the elements"})
      .axis_boolean("nhwc", {.defaults = {false}, .doc = "Channels come last"})
      .axis_integer("workers", {.minimum = 0, .maximum = 4, .defaults = "0"})
      .axis_integer("image", {.minimum = 28, .maximum = 700, .defaults = "300"})
      .compute_axes();
  PlanRequest request;
  request.overrides = {parse_override("scenario=b"), parse_override("threads=2")};
  for (const std::string& axis : axes) request.overrides.push_back(parse_override(axis));
  TrainRun run;
  Runner runner(session, run.sink, {});
  run.outcome = runner.run(make_plan(registry, request, session.context()));
  EXPECT_EQ(run.outcome.ok, 1U) << (root() ? run.result().reason : "");
  return run;
}

TEST(Rgb300Data, EqualBatchesHoweverTheyAreStoredAndLoaded) {
  const CommonFolder folder;
  const SessionOptions options = folder.options();
  for (const char* type : {"fp32", "fp64"}) {
    for (const char* image : {"300", "64", "310"}) {
      const std::vector<std::string> common{std::string("type=") + type,
                                            std::string("image=") + image};
      run_batches(common, options);
      const std::vector<at::Tensor> want = batches;
      // The loader's tensors, resized from normalised values or from bytes.
      const double tolerance = std::string(type) == "fp64" ? 1e-12 : 2e-5;
      std::vector<std::vector<std::string>> kinds{{"storage=shared"},
                                                  {"storage=shared", "workers=2", "nhwc=true"},
                                                  {"workers=1", "nhwc=true"},
                                                  {"loader=device"},
                                                  {"loader=device", "storage=shared", "nhwc=true"}};
      // DALI computes in fp32.
      if (has_dali() && std::string(type) == "fp32") {
        kinds.push_back({"loader=dali", "storage=files", "workers=2"});
        kinds.push_back({"loader=dali", "storage=files", "nhwc=true"});
      }
      for (const std::vector<std::string>& axes : kinds) {
        std::vector<std::string> all = common;
        all.insert(all.end(), axes.begin(), axes.end());
        const TrainRun run = run_batches(all, options);
        SCOPED_TRACE(root() ? run.result().key : "");
        ASSERT_EQ(batches.size(), want.size());
        for (std::size_t i = 0; i < want.size(); ++i) {
          ASSERT_EQ(batches[i].sizes(), want[i].sizes());
          EXPECT_EQ(batches[i].scalar_type(), want[i].scalar_type());
          EXPECT_LE((batches[i] - want[i]).abs().max().item<double>(), tolerance) << i;
        }
        if (axes.size() == 1 && axes[0] == "storage=shared" && std::string(image) == "300") {
          for (std::size_t i = 0; i + 2 < want.size(); ++i)
            EXPECT_TRUE(at::equal(batches[i], want[i])) << "from the same table of bytes";
        }
      }
    }
  }
}

/// Pixels of the batches are those of the files: MNIST's first labels, three channels that differ.
TEST(Rgb300Data, BatchesAreThePictures) {
  const CommonFolder folder;
  run_batches({}, folder.options());
  const std::vector<std::int64_t> order = torch_support::sampler_indices({.samples = kTrain});
  const std::vector<std::int64_t> digits{5, 0, 4, 1, 9, 2, 1, 3, 1, 4, 3, 5};
  const at::Tensor images = at::cat({batches[0], batches[2], batches[4]});
  const at::Tensor labels = at::cat({batches[1], batches[3], batches[5]});
  for (std::int64_t i = 0; i < kTrain; ++i) {
    const auto sample = static_cast<std::size_t>(order[static_cast<std::size_t>(i)]);
    EXPECT_EQ(labels[i].item<std::int64_t>(), digits[sample]);
    if (sample != 7) continue;
    // Row 161, column 94 of picture 7 is {58, 70, 98} (see rgb300_test).
    const std::array<double, 3> want{58, 70, 98};
    for (std::int64_t channel = 0; channel < 3; ++channel) {
      EXPECT_NEAR(images[i][channel][161][94].item<double>(),
                  (want[static_cast<std::size_t>(channel)] / 255 - 0.1307) / 0.3081, 1e-6);
    }
  }
}

TEST(Rgb300Data, FilesAreMadeOnceAndOnlyThoseThatAreMissing) {
  const CommonFolder folder;
  const TrainRun first = run_batches({}, folder.options());
  const TrainRun second = run_batches({"storage=shared"}, folder.options());
  test::world().barrier();
  if (root()) fs::remove(folder / "train/5/00000.png");
  test::world().barrier();
  const TrainRun third = run_batches({}, folder.options());
  if (!root()) return;
  EXPECT_EQ(first.fact("generated_files"), std::to_string(kTrain + kTest));
  EXPECT_EQ(second.fact("generated_files"), "0");
  EXPECT_EQ(third.fact("generated_files"), "1");
  std::uintmax_t bytes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder / ""))
    if (entry.path().extension() == ".png") bytes += entry.file_size();
  for (const TrainRun* run : {&first, &second, &third}) {
    EXPECT_EQ(run->fact("disk_bytes"), std::to_string(bytes)) << run->result().key;
    EXPECT_GT(run->value("disk_load_time"), 0);
  }
  const double pixels = (kTrain + kTest) * 270000.0, labels = (kTrain + kTest) * 8.0;
  EXPECT_EQ(first.value("resident_bytes"), pixels * 4 + labels);
  EXPECT_EQ(second.value("resident_bytes"), pixels / test::world().size() + labels);
}

/// The damaged file is in the last rank's part of the window; the case after it runs.
TEST(Rgb300Data, ADamagedFileFailsTheCaseOnAllRanks) {
  const CommonFolder folder;
  const std::vector<std::string> axes{"scenario=b", "image=32",      "batch=4",
                                      "images=8",   "test_images=4", "storage=shared"};
  const TrainRun good = run_train(axes, folder.options());
  EXPECT_EQ(good.outcome.ok, 1U) << (root() ? good.result().reason : "");
  const fs::path file = folder / "test/0/00003.png";
  if (root()) fs::resize_file(file, 5000);
  test::world().barrier();
  for (const char* storage : {"storage=shared", "storage=per_rank"}) {
    std::vector<std::string> changed = axes;
    changed.back() = storage;
    const TrainRun bad = run_train(changed, folder.options());
    EXPECT_EQ(bad.outcome.failed, 1U);
    if (root()) {
      EXPECT_THAT(bad.result().reason, HasSubstr(file.string()));
    }
  }
  test::world().barrier();
  if (root()) fs::remove(file);
  test::world().barrier();
  const TrainRun again = run_train(axes, folder.options());
  if (!root()) return;
  EXPECT_EQ(again.fact("generated_files"), "1");
  EXPECT_EQ(again.fact("parameters_fingerprint"), good.fact("parameters_fingerprint"));
}

TEST(Rgb300Data, BothKindsOfStorageTrainTheSameNetwork) {
  const CommonFolder folder;
  const auto train = [&](const std::string& storage) {
    const TrainRun run =
        run_train({"scenario=b", "image=300", "batch=2", "images=8", "test_images=2", storage},
                  folder.options());
    EXPECT_EQ(run.outcome.ok, 1U) << (root() ? run.result().reason : "");
    return run;
  };
  const TrainRun own = train("storage=per_rank"), shared = train("storage=shared");
  if (!root()) return;
  EXPECT_EQ(own.fact("parameters_fingerprint"), shared.fact("parameters_fingerprint"));
  EXPECT_EQ(own.fact("data_set"), "mnist_subset at 300x300");
  EXPECT_EQ(own.fact("test_images"), "2");
  EXPECT_THAT(shared.result().key, HasSubstr(" storage=shared "));
  EXPECT_THAT(own.result().key, testing::Not(HasSubstr("storage")));
}

/// DALI reads the files in each epoch, also for the tests. Their last batch is read by our decoder.
TEST(Rgb300Data, DaliTrainsOnFilesWhatItTrainsOnMemory) {
  if (!has_dali()) {
    const CommonFolder folder;
    const TrainRun run =
        run_train({"scenario=b", "image=300", "loader=dali", "storage=files"}, folder.options());
    EXPECT_EQ(run.outcome.skipped, 1U);
    if (root()) {
      EXPECT_EQ(run.result().reason, "built without DALI");
    }
    return;
  }
  const CommonFolder folder;
  const auto train = [&](const std::string& storage) {
    const TrainRun run =
        run_train({"scenario=b", "image=64", "batch=2", "images=8", "test_images=7", "epochs=2",
                   "loader=dali", "layout=nhwc", "workers=2", storage},
                  folder.options());
    EXPECT_EQ(run.outcome.ok, 1U) << (root() ? run.result().reason : "");
    return run;
  };
  const TrainRun memory = train("storage=shared"), files = train("storage=files");
  if (!root()) return;
  EXPECT_EQ(files.fact("parameters_fingerprint"), memory.fact("parameters_fingerprint"));
  EXPECT_EQ(files.value("accuracy"), memory.value("accuracy"));
  EXPECT_EQ(files.fact("loaded_bytes"), memory.fact("loaded_bytes"));
  EXPECT_EQ(files.fact("disk_bytes"), memory.fact("disk_bytes"));
  EXPECT_EQ(files.result().find("resident_bytes"), nullptr);
  EXPECT_EQ(files.result().find("disk_load_time"), nullptr);
  EXPECT_NE(memory.result().find("disk_load_time"), nullptr);
}

TEST(Rgb300Data, OnlyDaliReadsFilesItself) {
  const Benchmark& train = *Registry::instance().find("imaging/train");
  const auto has = [&](const char* scenario, const char* loader) {
    return train.makes_sense({{"scenario", std::string(scenario)},
                              {"loader", std::string(loader)},
                              {"storage", std::string("files")}});
  };
  EXPECT_TRUE(has("b", "dali"));
  EXPECT_FALSE(has("b", "threads"));
  EXPECT_FALSE(has("b", "device"));
  EXPECT_FALSE(has("a", "dali"));
}

TEST(Rgb300Data, AnotherSourceAndNoFolderAreSaid) {
  const CommonFolder folder;
  if (root()) {
    std::ofstream(folder / "manifest.json")
        << R"({"format": "scalemark-rgb300", "generator": 1, "source": "0123"})";
  }
  test::world().barrier();
  const std::vector<std::string> axes{"scenario=b", "image=32", "batch=2", "images=8",
                                      "test_images=8"};
  const TrainRun other = run_train(axes, folder.options());
  const TrainRun nowhere = run_train(axes);
  const TrainRun many = run_train({"scenario=b", "image=32", "images=10001", "storage=shared"});
  EXPECT_EQ(other.outcome.failed, 1U);
  EXPECT_EQ(nowhere.outcome.skipped, 1U);
  EXPECT_EQ(many.outcome.skipped, 1U);
  if (!root()) return;
  EXPECT_THAT(other.result().reason, HasSubstr("another source"));
  EXPECT_THAT(nowhere.result().reason, HasSubstr("--data rgb300=DIR"));
  EXPECT_THAT(many.result().reason, HasSubstr("--data mnist=DIR"));
}

/// 1000 and 24 pictures of 300 x 300 in 3 channels, with a label of 8 bytes.
TEST(Rgb300Data, TheEstimateOfMemoryKnowsTheSet) {
  const Benchmark& train = *Registry::instance().find("imaging/train");
  Point params{{"images", std::int64_t{1000}},
               {"test_images", std::int64_t{24}},
               {"scenario", std::string("b")},
               {"storage", std::string("per_rank")},
               {"precision", std::string("fp32")}};
  EXPECT_EQ(train.host_memory_for(params), 1024U * (270000 * 4 + 8));
  params["precision"] = std::string("fp64");
  EXPECT_EQ(train.host_memory_for(params), 1024U * (270000 * 8 + 8));
  params["storage"] = std::string("shared");
  EXPECT_EQ(train.host_memory_for(params), 1024U * (270000 + 8));
  params["storage"] = std::string("files");
  EXPECT_LT(train.host_memory_for(params), 1024U * 200) << "only their names";
  params["storage"] = std::string("shared");
  params["test_images"] = std::int64_t{0};
  EXPECT_EQ(train.host_memory_for(params), 11000U * (270000 + 8)) << "MNIST has 10,000";
}

}  // namespace
}  // namespace scalemark::imaging
