/// What a store promises; an app may demand some of it before it entrusts a secret.
public struct StoreGuarantees: OptionSet, Hashable, Sendable {
  /// The promises as bits.
  public let rawValue: UInt32

  /// Makes a set of promises of its bits.
  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// A write that returned is there after a power cut and a restart of the machine.
  public static let survivesReboot = StoreGuarantees(rawValue: 1 << 0)
  /// Neither secrets nor attributes are in the clear outside the memory of the process.
  public static let encryptedAtRest = StoreGuarantees(rawValue: 1 << 1)
  /// An item is unreadable outside of its ``Accessibility``.
  public static let enforcesAccessibility = StoreGuarantees(rawValue: 1 << 2)
  /// ``AccessFlags`` are checked.
  public static let enforcesAccessControl = StoreGuarantees(rawValue: 1 << 3)
  /// Several processes of this machine may use the store at once.
  public static let sharedBetweenProcesses = StoreGuarantees(rawValue: 1 << 4)
  /// Several machines may use the store at once.
  public static let sharedBetweenMachines = StoreGuarantees(rawValue: 1 << 5)
  /// An older copy that was put back is refused.
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
  /// The promises in words, separated by commas.
  public var description: String {
    Self.names.filter { contains($0.0) }.map(\.1).joined(separator: ", ")
  }
}

extension SecretStore {
  /// Returns this store if it promises all that is demanded.
  ///
  /// ```swift
  /// SecretStorage.bootstrap(try store.requiring([.survivesReboot, .encryptedAtRest]))
  /// ```
  ///
  /// - Throws: ``SecretStoreError/unsupported(_:)``, naming what is missing.
  public func requiring(_ demanded: StoreGuarantees) throws(SecretStoreError) -> Self {
    let missing = demanded.subtracting(guarantees)
    if missing.isEmpty { return self }
    throw .unsupported("a store that \(missing)")
  }
}
