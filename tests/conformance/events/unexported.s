// Lets unexported.go declare functions without bodies.
