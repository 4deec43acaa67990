/// The guarantees of a store, some of which an app may require.
public struct StoreGuarantees: OptionSet, Hashable, Sendable {
  /// The bits of the set.
  public let rawValue: UInt32

  /// Creates a set of guarantees from its bits.
  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// A write that has returned survives a power failure and a restart of the machine.
  public static let survivesReboot = StoreGuarantees(rawValue: 1 << 0)
  /// Secrets and attributes are unencrypted only in the memory of the process.
  public static let encryptedAtRest = StoreGuarantees(rawValue: 1 << 1)
  /// An item can be read only as its ``Accessibility`` allows.
  public static let enforcesAccessibility = StoreGuarantees(rawValue: 1 << 2)
  /// ``AccessFlags`` are enforced.
  public static let enforcesAccessControl = StoreGuarantees(rawValue: 1 << 3)
  /// Several processes of this machine may use the store at the same time.
  public static let sharedBetweenProcesses = StoreGuarantees(rawValue: 1 << 4)
  /// Several machines may use the store at the same time.
  public static let sharedBetweenMachines = StoreGuarantees(rawValue: 1 << 5)
  /// An older copy of the store is rejected.
  public static let detectsRollback = StoreGuarantees(rawValue: 1 << 6)

  private static let names: [(StoreGuarantees, String)] = [
    (.survivesReboot, "survives a reboot"),
    (.encryptedAtRest, "is encrypted at rest"),
    (.enforcesAccessibility, "enforces accessibility"),
    (.enforcesAccessControl, "enforces access control"),
    (.sharedBetweenProcesses, "is shared between processes"),
    (.sharedBetweenMachines, "is shared between machines"),
    (.detectsRollback, "detects a rollback"),
  ]
}

extension StoreGuarantees: CustomStringConvertible {
  /// A description of the guarantees in words, separated by commas.
  public var description: String {
    Self.names.filter { contains($0.0) }.map(\.1).joined(separator: ", ")
  }
}
