#include "flyball/api/quantity.h"

int main() { return flyball::api::Quantity::Parse("1500m").has_value() ? 0 : 1; }
