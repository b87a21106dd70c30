// SPDX-License-Identifier: Apache-2.0
// Sends a run as a stream of bytes between two processes; the receiver does not trust the sender.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "common/result/model.hpp"
#include "common/store/reader.hpp"

namespace scalemark::store {

/// Sends all bytes; throws if it cannot.
using SendBytes = std::function<void(std::span<const char>)>;
/// Receives exactly that many bytes; throws if it cannot.
using ReceiveBytes = std::function<void(std::span<char>)>;

/// Type of the next message. The stream is one header, then cases, then the end. A refusal may come
/// at any time and is the last message.
enum class MessageKind : std::uint8_t { header, one_case, end, refusal };

void send_header(const SendBytes& send, const Run& run);
void send_case(const SendBytes& send, const CaseResult& result);
/// The last message of the stream.
void send_end(const SendBytes& send);
/// Sends the text of an error as the last message of the stream.
void send_refusal(const SendBytes& send, const std::string& text);

/// Receives a complete run that was read with or without `samples`. All lengths, names, texts and
/// numbers are checked as if they came from the file; memory is allocated only for bytes that have
/// arrived. Throws InputError with the text of a refusal, or if the stream is malformed.
void receive_run(const ReceiveBytes& receive, bool samples, const RunVisitor& visitor);

}  // namespace scalemark::store
