// SPDX-License-Identifier: Apache-2.0
// A run as a stream of bytes between two processes on one machine, of which the receiver does not
// trust the sender.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "common/result/model.hpp"
#include "common/store/reader.hpp"

namespace scalemark::store {

/// Takes all of the bytes; throws if it cannot.
using SendBytes = std::function<void(std::span<const char>)>;
/// Fills all of the bytes; throws if it cannot.
using ReceiveBytes = std::function<void(std::span<char>)>;

/// What comes next in the stream: one header, then cases, then the end; or, at any time, a refusal.
enum class MessageKind : std::uint8_t { header, one_case, end, refusal };

void send_header(const SendBytes& send, const Run& run);
void send_case(const SendBytes& send, const CaseResult& result);
/// Nothing comes behind it.
void send_end(const SendBytes& send);
/// The text of an error; nothing comes behind it.
void send_refusal(const SendBytes& send, const std::string& text);

/// Receives up to the end of a run that was read with or without `samples`. Every length, name,
/// text and number is checked as if it came from the file: memory is only taken for bytes that have
/// arrived. Throws InputError with the text of a refusal, or if the stream is not of its form.
void receive_run(const ReceiveBytes& receive, bool samples, const RunVisitor& visitor);

}  // namespace scalemark::store
