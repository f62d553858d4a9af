// Where the bytes of a table come from: a text, a file, standard input; compressed with gzip or not.
#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "covary/table/table.h"

namespace covary::csv {
using namespace internal;

/// Bytes in order.
struct Source {
  std::string name;                           // what errors call it
  size_t size = 0;                            // in bytes, a guess
  std::function<size_t(char*, size_t)> read;  // fills at most so many bytes; fewer means that was all
  std::function<void()> rewind;               // begins again; empty if that cannot be
};

/// A source over `text`, which must outlive it.
Source text_source(std::string_view text, const std::string& name);

/// A source over a file, or over standard input if `path` is "-". A regular file can be read again; a pipe
/// only with Passes::many, which copies it to a temporary file. Throws Problem::data if it cannot be read.
Source file_source(const std::string& path, Passes passes);

/// What `bytes` say if they are gzip, and otherwise themselves. Holds some 50 KiB. Reading throws
/// Problem::data if the compressed data are damaged or cut short.
Source unzipped(const Source& bytes);

}  // namespace covary::csv
