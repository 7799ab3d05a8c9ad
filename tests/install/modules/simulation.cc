#include "flyball/simulation/address_pool.h"

int main() { return flyball::simulation::AddressPool::Of("10.244.0.0/16").has_value() ? 0 : 1; }
