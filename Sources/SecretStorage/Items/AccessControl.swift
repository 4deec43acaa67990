/// The condition under which an item can be read, and the proofs that reading it needs.
public struct AccessControl: Hashable, Sendable {
  /// The condition under which the item can be read.
  public var accessibility: Accessibility
  /// The proofs that the user must give to read the item.
  public var flags: AccessFlags

  /// Creates an access control.
  public init(_ accessibility: Accessibility = .whenUnlocked, flags: AccessFlags = []) {
    self.accessibility = accessibility
    self.flags = flags
  }
}
