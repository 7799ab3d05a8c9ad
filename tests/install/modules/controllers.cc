#include "flyball/controllers/registry.h"

int main() { return flyball::controllers::All().size() > 20 ? 0 : 1; }
