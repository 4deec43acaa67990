import CLibrary
import Concurrency
import FoundationEssentials
public import SecretStorage
import StorageInternals

/// A store over the desktop's Secret Service, such as GNOME Keyring, KeePassXC or KWallet.
///
/// ```swift
/// @GenericPassword(service: "com.example.app", account: "peter", in: .secretService)
/// var token: String?
/// ```
///
/// The store uses the daemon on the session bus, and never starts one. New items are in the
/// daemon's default keyring; items in any unlocked keyring are found. While the default keyring is
/// locked, accesses throw `SecretStoreError.locked`; call ``unlock(within:)``.
///
/// **Limits.** A secret has at most 1 MiB. Only `Accessibility.whenUnlocked` is
/// supported, and no access flags. An access ends within the time limit, by default 25 seconds.
///
/// **Other programs.** Any program of the user can read, change and remove the items while the
/// keyring is unlocked. Processes of this library exclude each other when they write; other
/// programs can add an item with the same identity at the same time, and the oldest one is used.
public final class SecretServiceStore: SecretStore {
  /// The layout of the items.
  public let layout: ItemLayout
  let timeLimit: Duration
  let access: DaemonAccess

  /// Creates a store, without connecting to the bus.
  ///
  /// - Parameters:
  ///   - layout: The attributes under which items are kept.
  ///   - timeLimit: The maximum time of an access to the daemon.
  public convenience init(layout: ItemLayout = .locket, timeLimit: Duration = .seconds(25)) {
    self.init(
      layout: layout, timeLimit: timeLimit, environment: ProcessInfo.processInfo.environment)
  }

  package convenience init(
    layout: ItemLayout = .locket, timeLimit: Duration = .seconds(25), environment: [String: String]
  ) {
    self.init(layout: layout, timeLimit: timeLimit, access: DaemonAccess(environment))
  }

  private init(layout: ItemLayout, timeLimit: Duration, access: DaemonAccess) {
    self.layout = layout
    self.timeLimit = timeLimit
    self.access = access
  }

  fileprivate static let shared = SecretServiceStore()

  /// Returns a store of the items that have all given attributes, whichever program wrote them.
  ///
  /// It shares the connection of this store. Each item has the identity by which it is asked for;
  /// among several, the oldest is used. Secrets are text, which a property decodes by its type:
  /// `8443` is an integer. Revisions have the resolution of the daemon, one second.
  ///
  /// - Parameters:
  ///   - attributes: The attributes, at least one; the schema is the attribute `xdg:schema`.
  ///   - writes: The writes that are allowed.
  /// - Returns: The store.
  public func matching(
    attributes: [String: String], writes: ForeignWrites = .refused
  ) -> SecretServiceStore {
    SecretServiceStore(
      layout: ItemLayout(kind: .existing(attributes, writes)), timeLimit: timeLimit,
      access: access)
  }

  /// The name of the D-Bus interface.
  public var name: String { "the Secret Service" }

  /// Items survive a restart, and several processes may use them.
  ///
  /// How they are encrypted is up to the daemon.
  public var guarantees: StoreGuarantees { [.survivesReboot, .sharedBetweenProcesses] }

  /// Always nil, because no item needs a proof.
  public var authenticator: (any Authenticator)? { nil }
}

/// The way to the daemon, which stores with different layouts share.
struct DaemonAccess: Sendable {
  private let gate: Lock<DaemonGate>
  let watch: ChangeWatch
  /// The duplicates that were reported.
  let reported = Lock(Set<SecretItem.ID>(), inForkedChild: { [] })
  let address: String
  /// The user's directory for sockets and locks; nil if there is none.
  let runtimeDirectory: String?

  init(_ environment: [String: String]) {
    let directory = environment["XDG_RUNTIME_DIR"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    let address =
      environment["DBUS_SESSION_BUS_ADDRESS"] ?? directory.map { "unix:path=\($0)/bus" } ?? ""
    self.address = address
    runtimeDirectory = directory
    watch = ChangeWatch(address: address)
    gate = Lock(
      DaemonGate(address: address), inForkedChild: { DaemonGate(address: address) })
  }

  func withDaemon<Result>(
    by deadline: Deadline, _ body: (SecretDaemon, inout [SecretItem.ID: String]) throws -> Result
  ) throws(SecretStoreError) -> Result {
    try checkAddress()
    return try gate.withLock { $0 }.withDaemon(by: deadline, body)
  }

  /// Whether a process offers the Secret Service; false also if there is no session bus.
  func isServiceThere(by deadline: Deadline) throws(SecretStoreError) -> Bool {
    if address.isEmpty { return false }
    try checkAddress()
    do throws(BusFailure) {
      return try SecretDaemon(at: address, deadline: deadline).isThere()
    } catch {
      if case .noBus = error { return false }
      throw SecretStoreError(error)
    }
  }

  private func checkAddress() throws(SecretStoreError) {
    if address.isEmpty {
      throw .unavailable(
        """
        There is no session bus: neither DBUS_SESSION_BUS_ADDRESS nor XDG_RUNTIME_DIR is set. Log in \
        to a session, or run the program with dbus-run-session.
        """)
    }
    // An address may also name a program to run.
    if !address.hasPrefix("unix:") || address.utf8.contains(0) {
      throw .unavailable(
        "The address of the session bus, \(address), is not that of a Unix socket.")
    }
  }
}

extension SecretServiceStore: CustomReflectable {
  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}

extension SecretStore where Self == SecretServiceStore {
  /// The store over the desktop's Secret Service that the process shares.
  public static var secretService: SecretServiceStore { .shared }

  /// A store of the items in the desktop's Secret Service that have all given attributes.
  ///
  /// See ``SecretServiceStore/matching(attributes:writes:)``.
  public static func matching(
    attributes: [String: String], writes: ForeignWrites = .refused
  ) -> SecretServiceStore {
    SecretServiceStore.shared.matching(attributes: attributes, writes: writes)
  }
}
