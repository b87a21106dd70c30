// SPDX-License-Identifier: Apache-2.0
// Every loader, with any number of workers: equal batches in equal order, and what can go wrong.
#include "suites/imaging/loader/loader.hpp"

#include <memory>
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "common/base/version.hpp"
#include "common/torch/sampler.hpp"
#include "suites/imaging/data/images.hpp"

namespace scalemark::imaging {
namespace {

constexpr std::int64_t kSamples = 40;

/// Random pixels; the label is the sample's number.
Images pictures(std::int64_t channels = 1) {
  at::manual_seed(4);
  return {at::randint(256, {kSamples, channels, 28, 28}, at::kByte),
          at::arange(kSamples, at::kLong)};
}

struct Kind {
  std::string name;
  int workers;
};

/// Whether this build has the loader: then it is tested, and must work.
bool has_dali() { return build_info().at("dali").starts_with("on: "); }

std::vector<Kind> kinds() {
  std::vector<Kind> all{{"threads", 0}, {"threads", 1}, {"threads", 3}, {"device", 0}};
  if (has_dali()) all.insert(all.end(), {{"dali", 0}, {"dali", 1}, {"dali", 3}});
  return all;
}
const std::vector<Kind> kKinds = kinds();

LoaderOptions options_for(const Kind& kind, LoaderOptions options = {}) {
  options.workers = kind.workers;
  options.mean = kMnistMean;
  options.std = kMnistStd;
  return options;
}

std::vector<std::int64_t> shuffled(std::uint64_t epoch, std::int64_t samples = kSamples) {
  return torch_support::sampler_indices({.samples = samples, .epoch = epoch});
}

/// LibTorch's operators on the samples of batch `index` of `order`.
void expect_batch(const Kind& kind, const Batch& batch, const Images& set,
                  const LoaderOptions& options, const std::vector<std::int64_t>& order,
                  std::int64_t index) {
  const at::Tensor which =
      at::tensor(order, at::kLong).narrow(0, index * options.batch, options.batch);
  ASSERT_TRUE(at::equal(batch.labels, set.labels.index_select(0, which))) << "batch " << index;
  const at::Tensor images =
      upsample(normalise(scale(set.pixels.index_select(0, which), at::kDouble)), options.image)
          .expand({-1, 3, -1, -1});
  ASSERT_EQ(batch.images.sizes(), images.sizes());
  EXPECT_EQ(batch.images.scalar_type(), options.type);
  EXPECT_TRUE(batch.images.is_contiguous(options.format));
  const double difference = (batch.images.to(at::kDouble) - images).abs().max().item<double>();
  // "device" computes source positions in fp32, an error of 1e-6 of up to 28, times the slope; DALI
  // does so whatever the type of the batch is.
  const bool exact = options.type == at::kDouble && kind.name != "dali";
  EXPECT_LT(difference, exact ? 1e-13 : 5e-6) << "batch " << index;
}

TEST(Loader, EqualBatchesInEqualOrderOverSeveralEpochs) {
  for (const std::int64_t channels : {1, 3}) {
    const Images set = pictures(channels);
    for (const at::ScalarType type : {at::kFloat, at::kDouble}) {
      for (const auto format : {at::MemoryFormat::Contiguous, at::MemoryFormat::ChannelsLast}) {
        for (const Kind& kind : kKinds) {
          SCOPED_TRACE(kind.name + ", workers " + std::to_string(kind.workers));
          const LoaderOptions options =
              options_for(kind, {.image = 32, .batch = 4, .type = type, .format = format});
          const auto loader = make_loader(kind.name, set, options);
          for (std::uint64_t epoch = 0; epoch < 3; ++epoch) {
            const std::vector<std::int64_t> order = shuffled(epoch);
            loader->start(order);
            for (std::int64_t i = 0; i < kSamples / options.batch; ++i)
              expect_batch(kind, loader->next(), set, options, order, i);
          }
        }
      }
    }
  }
}

/// What is normalised already is not normalised again, and what has the wanted size is not resized.
TEST(Loader, TakesNormalisedPictures) {
  const Images bytes = pictures(3);
  for (const at::ScalarType type : {at::kFloat, at::kDouble}) {
    const Images values{normalise(scale(bytes.pixels, type)), bytes.labels};
    for (const std::int64_t image : {28, 32}) {
      for (const auto format : {at::MemoryFormat::Contiguous, at::MemoryFormat::ChannelsLast}) {
        for (const Kind& kind : kKinds) {
          SCOPED_TRACE(kind.name + ", workers " + std::to_string(kind.workers));
          const LoaderOptions options =
              options_for(kind, {.image = image, .batch = 8, .type = type, .format = format});
          const auto loader = make_loader(kind.name, values, options);
          const std::vector<std::int64_t> order = shuffled(1);
          loader->start(order);
          for (std::int64_t i = 0; i < kSamples / options.batch; ++i) {
            const Batch batch = loader->next();
            expect_batch(kind, batch, bytes, options, order, i);
            if (image != 28) continue;
            const at::Tensor which = at::tensor(order, at::kLong).narrow(0, i * 8, 8);
            at::Tensor same = values.pixels.index_select(0, which);
            if (kind.name == "dali") same = same.to(at::kFloat).to(type);
            EXPECT_TRUE(at::equal(batch.images, same));
          }
        }
      }
    }
  }
}

/// All prepare the same numbers, in fp32 to its rounding, when they enlarge and when they reduce.
/// Source positions are exact in fp32 where 28 / image is; else see expect_batch, twice.
TEST(Loader, AllLoadersAgreeInFp32) {
  for (const std::int64_t channels : {1, 3}) {
    const Images set = pictures(channels);
    for (const std::int64_t image : {20, 28, 32, 100}) {
      for (const auto format : {at::MemoryFormat::Contiguous, at::MemoryFormat::ChannelsLast}) {
        for (const Kind& kind : kKinds) {
          SCOPED_TRACE(kind.name + ", image " + std::to_string(image));
          const LoaderOptions options =
              options_for(kind, {.image = image, .batch = 8, .format = format});
          const auto threads = make_loader("threads", set, options);
          const auto other = make_loader(kind.name, set, options);
          threads->start(shuffled(0));
          other->start(shuffled(0));
          for (int i = 0; i < 5; ++i) {
            const Batch a = threads->next(), b = other->next();
            EXPECT_TRUE(at::equal(a.labels, b.labels));
            EXPECT_EQ(a.images.strides(), b.images.strides());
            const bool exact = image == 28 || image == 32;
            EXPECT_LT((a.images - b.images).abs().max().item<float>(), exact ? 1e-6 : 1e-5);
          }
        }
      }
    }
  }
}

/// Rows and columns are not confused where they differ.
TEST(Loader, PicturesNeedNotBeSquare) {
  at::manual_seed(5);
  const Images set{at::randint(256, {kSamples, 1, 20, 48}, at::kByte),
                   at::arange(kSamples, at::kLong)};
  for (const Kind& kind : kKinds) {
    SCOPED_TRACE(kind.name);
    const LoaderOptions options = options_for(kind, {.image = 32, .batch = 4});
    const auto loader = make_loader(kind.name, set, options);
    loader->start(shuffled(0));
    expect_batch(kind, loader->next(), set, options, shuffled(0), 0);
  }
}

TEST(Loader, AnEpochMayBeginInTheMiddleOfAnother) {
  const Images set = pictures();
  for (const Kind& kind : kKinds) {
    const LoaderOptions options = options_for(kind, {.batch = 2});
    const auto loader = make_loader(kind.name, set, options);
    for (std::uint64_t epoch = 0; epoch < 40; ++epoch) {
      const std::vector<std::int64_t> order = shuffled(epoch);
      loader->start(order);
      const auto taken = static_cast<std::int64_t>(epoch % 5);  // 0: none at all
      for (std::int64_t i = 0; i < taken; ++i) {
        const Batch batch = loader->next();
        ASSERT_NO_FATAL_FAILURE(expect_batch(kind, batch, set, options, order, i)) << kind.name;
      }
    }
  }
}

TEST(Loader, ThereIsNoBatchBehindTheLast) {
  const Images set = pictures();
  for (const Kind& kind : kKinds) {
    const auto loader = make_loader(kind.name, set, options_for(kind, {.batch = 2}));
    EXPECT_ANY_THROW(loader->next()) << "before the first epoch";
    for (int epoch = 0; epoch < 2; ++epoch) {
      loader->start({3, 1, 2, 0});
      loader->next();
      EXPECT_EQ(loader->next().labels[1].item<std::int64_t>(), 0);
      EXPECT_ANY_THROW(loader->next()) << kind.name << ", workers " << kind.workers;
      EXPECT_ANY_THROW(loader->next()) << kind.name << ", workers " << kind.workers;
    }
    loader->start({});
    EXPECT_ANY_THROW(loader->next()) << "an empty epoch";
  }
}

TEST(Loader, MayEndAtAnyTime) {
  const Images set = pictures();
  for (const Kind& kind : kKinds) {
    for (int taken = -1; taken < 20; ++taken) {
      const auto loader = make_loader(kind.name, set, options_for(kind, {.image = 50, .batch = 2}));
      if (taken >= 0) loader->start(shuffled(0));
      for (int i = 0; i < taken; ++i) loader->next();
    }
  }
}

/// Workers run ahead into every slot but the one that the caller holds.
void expect_batches_stay(const Kind& kind, int prefetch) {
  SCOPED_TRACE(kind.name + ", prefetch " + std::to_string(prefetch));
  const Images set = pictures();
  LoaderOptions options = options_for(kind, {.image = 28, .batch = 1});
  options.prefetch = prefetch;
  const auto loader = make_loader(kind.name, set, options);
  std::vector<std::int64_t> order;
  for (std::uint64_t epoch = 0; epoch < 50; ++epoch) {
    const std::vector<std::int64_t> more = shuffled(epoch);
    order.insert(order.end(), more.begin(), more.end());
  }
  loader->start(order);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Batch batch = loader->next();
    const at::Tensor images = batch.images.clone(), labels = batch.labels.clone();
    at::Tensor work = at::ones({64, 64});
    for (int repeat = 0; repeat < 3; ++repeat) work = work.mm(work).clamp_(0, 1);
    ASSERT_EQ(labels.item<std::int64_t>(), order[i]);
    ASSERT_TRUE(at::equal(batch.images, images)) << i;
    ASSERT_TRUE(at::equal(batch.labels, labels)) << i;
    ASSERT_TRUE(at::equal(images[0][0], images[0][2])) << "all of it was there";
  }
}

TEST(Loader, AHandedOutBatchStaysUntilTheNextCall) {
  for (const Kind& kind : kKinds) {
    if (kind.workers < 3) continue;
    for (const int prefetch : {1, 2, 4}) expect_batches_stay(kind, prefetch);
  }
}

TEST(Loader, BytesAreThoseThatADeviceWouldGet) {
  const Images set = pictures();
  for (const Kind& kind : kKinds) {
    const auto loader = make_loader(kind.name, set, options_for(kind, {.image = 50, .batch = 4}));
    EXPECT_EQ(loader->bytes(), 0U);
    const std::uint64_t batch = 4 * (kind.name == "threads" ? 3 * 50 * 50 * 4 + 8 : 28 * 28 + 8);
    loader->start(shuffled(0));
    for (std::uint64_t i = 1; i <= 3; ++i) {
      loader->next();
      EXPECT_EQ(loader->bytes(), i * batch) << kind.name << ", workers " << kind.workers;
    }
    loader->start(shuffled(1));
    EXPECT_EQ(loader->bytes(), 3 * batch) << "those that were dropped were not handed out";
    loader->next();
    EXPECT_EQ(loader->bytes(), 4 * batch) << "of all epochs";
  }
}

TEST(Loader, MixedPrecisionSendsHalfOfTheBytes) {
  const Images set = pictures();
  for (const at::ScalarType type : {at::kHalf, at::kBFloat16}) {
    for (const int workers : {0, 2}) {
      LoaderOptions options{.image = 50, .batch = 4, .workers = workers};
      const auto wide = make_loader("threads", set, options);
      options.narrow = type;
      const auto narrow = make_loader("threads", set, options);
      wide->start(shuffled(0));
      narrow->start(shuffled(0));
      const Batch one = wide->next(), other = narrow->next();
      EXPECT_EQ(narrow->bytes(), 4U * (3 * 50 * 50 * 2 + 8));
      EXPECT_TRUE(at::equal(one.images.to(type), other.images));
      EXPECT_TRUE(at::equal(one.labels, other.labels));
    }
  }
}

/// Pixels of another type are found when they are read, that is, by a worker.
TEST(Loader, AnExceptionOfAWorkerReachesTheCaller) {
  Images wrong = pictures();
  wrong.pixels = wrong.pixels.to(at::kInt);
  for (const int workers : {0, 1, 3}) {
    const auto loader = make_loader("threads", wrong, options_for({"threads", workers}));
    loader->start(shuffled(0));
    EXPECT_THROW(loader->next(), c10::Error) << "workers " << workers;
    EXPECT_THROW(loader->next(), c10::Error) << "it does not wait for a batch that never comes";
  }
}

TEST(Loader, DaliIsWhereTheBuildHasIt) {
  const Images set = pictures();
  if (has_dali()) {
    EXPECT_NO_THROW(require_loader("dali", c10::kCPU));
    return;
  }
  EXPECT_THROW(require_loader("dali", c10::kCPU), Unavailable);
  EXPECT_THROW(make_loader("dali", set, {}), Unavailable);
}

TEST(Loader, DaliRefusesOtherTypesAtOnce) {
  if (!has_dali()) return;
  Images wrong = pictures();
  wrong.pixels = wrong.pixels.to(at::kInt);
  EXPECT_THROW(make_loader("dali", wrong, {}), Error);
}

/// A sample that is not there is found when DALI is given it.
TEST(Loader, ASampleThatIsNotThereIsAnError) {
  const Images set = pictures();
  for (const Kind& kind : kKinds) {
    if (kind.name == "threads") continue;  // trusts its caller
    const auto loader = make_loader(kind.name, set, options_for(kind, {.batch = 2}));
    loader->start({0, 1, 2, 3});
    loader->next();
    loader->next();
    EXPECT_THROW(
        {
          loader->start({0, 1, 2, kSamples});
          loader->next();
          loader->next();
        },
        c10::Error)
        << kind.name;
    EXPECT_ANY_THROW(loader->next()) << kind.name << ", which could not begin that batch";
    EXPECT_ANY_THROW(loader->next()) << kind.name << " does not wait for it";
    loader->start({3, 4});
    EXPECT_EQ(loader->next().labels[1].item<std::int64_t>(), 4) << kind.name << " goes on";
  }
}

TEST(Loader, NamesAreThoseOfTheChoice) {
  const Images set = pictures();
  for (const std::string& name : loader_names()) {
    if (name == "dali" && !has_dali()) continue;
    EXPECT_NO_THROW(require_loader(name, c10::kCPU));
    EXPECT_NE(make_loader(name, set, {}), nullptr);
  }
  EXPECT_THROW(make_loader("thread", set, {}), Error);
}

}  // namespace
}  // namespace scalemark::imaging
