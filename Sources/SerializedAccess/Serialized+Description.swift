extension Serialized: CustomStringConvertible, CustomReflectable {
  /// The value in parentheses, or the words "in use" during an access.
  ///
  /// Never waits, so that it is safe in a debugger, in a log and inside an access. It shows what
  /// the last access left, without what is scheduled.
  public var description: String {
    if let value = valueUnlessInUse() { "Serialized(\(value.value))" } else { "Serialized(in use)" }
  }

  /// A mirror with the value, or with the words "in use" during an access.
  public var customMirror: Mirror {
    let value: Any = if let value = valueUnlessInUse() { value.value } else { "in use" }
    return Mirror(self, children: ["wrappedValue": value], displayStyle: .class)
  }

  private func valueUnlessInUse() -> Snapshot<Value>? {
    forgetParent()
    guard exclusion.tryEnter() else { return nil }
    defer { exclusion.leave() }
    // Only the holder of the exclusion touches the storage.
    return Snapshot(unsafe storage.pointee)
  }
}
