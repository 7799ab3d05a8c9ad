#include "backup_controller.h"
#include "flyball/operator/program.h"

int main(int argc, char** argv) {
  return flyball::RunOperator(argc, argv, {.name = "backup-operator"}, backup::AddBackupController);
}
