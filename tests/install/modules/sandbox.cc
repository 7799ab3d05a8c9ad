#include "flyball/sandbox/sandbox.h"

int main() { return flyball::sandbox::Sandbox::Create({}).has_value() ? 0 : 1; }
