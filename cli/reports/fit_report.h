// What fit found, for people and for machines.
#pragma once
#include <string>
#include <vector>

#include "covary/model/request.h"

namespace covary::cli {

struct Report {
  const Learned& learned;
  const std::vector<std::string>& features;
  const std::string& target;
  const std::string& saved_as;  // or ""
};

std::string text_report(const Report& report);
std::string json_report(const Report& report);

}  // namespace covary::cli
