/// Casts a value to its own type, which generic code knows under a different name.
///
/// A dynamic cast takes longer than the rest of decoding a short string. Without inlining, a call
/// of this function from generic code still takes a third of that time.
@inline(__always)
func identityCast<Value, Target>(_ value: consuming Value, to type: Target.Type) -> Target {
  if Value.self != type { fatalError("\(Value.self) is not \(type).") }
  // The types are equal, so nothing is reinterpreted.
  return unsafe unsafeBitCast(value, to: type)
}
