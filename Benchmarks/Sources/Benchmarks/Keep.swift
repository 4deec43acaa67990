/// Takes a result, so that the compiler cannot remove the work behind it.
@inline(never)
func keep<Value>(_ value: Value) {
  withExtendedLifetime(value) {}
}
