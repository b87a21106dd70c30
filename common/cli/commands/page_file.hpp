// SPDX-License-Identifier: Apache-2.0
// Writing an HTML page, which never replaces another kind of file.
#pragma once

#include <filesystem>
#include <string>

namespace scalemark::cli {

/// Throws UsageError unless `path` is a new or empty file, or `force` is given and it is an earlier
/// page. A typing error must not overwrite a result file.
void check_page_file(const std::filesystem::path& path, bool force);

/// Writes the page and says so on stderr. `command`: "report".
void write_page(const std::string& command, const std::filesystem::path& path,
                const std::string& html);

}  // namespace scalemark::cli
