#include "flyball/operator/program.h"
#include "website_controller.h"

int main(int argc, char** argv) {
  return flyball::RunOperator(argc, argv, {.name = "website-operator"},
                              website::AddWebsiteController);
}
