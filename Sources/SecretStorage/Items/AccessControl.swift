/// The condition under which an item can be read, and the proofs that a person must give for it.
public struct AccessControl: Hashable, Sendable {
  /// The condition under which the item can be read.
  public var accessibility: Accessibility
  /// The proofs that a person must give to read the item.
  public var flags: AccessFlags

  /// Combines an accessibility with constraints.
  public init(_ accessibility: Accessibility = .whenUnlocked, flags: AccessFlags = []) {
    self.accessibility = accessibility
    self.flags = flags
  }
}
