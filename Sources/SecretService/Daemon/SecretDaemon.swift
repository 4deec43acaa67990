import Concurrency
import SecretStorage

/// The calls of the Secret Service API, to the daemon that owns its name on the bus.
///
/// Used by one thread at a time.
final class SecretDaemon {
  static let name = "org.freedesktop.secrets"
  static let path = "/org/freedesktop/secrets"
  static let interfaces = "org.freedesktop.Secret."
  private static let bus = "org.freedesktop.DBus"
  private static let properties = "org.freedesktop.DBus.Properties"

  let connection: BusConnection
  /// The time at which the current operation gives up.
  var deadline: Deadline
  var session: TransportSession?
  /// The default collection, which the daemon was asked for.
  private var defaultPath: String?
  /// The identifier of the bus, the same for all of its clients.
  let busIdentifier: String
  /// What is known of items, by their paths, until the daemon announces a change.
  var known: [String: ItemRecord] = [:]
  var awaitedPrompt: AwaitedPrompt?
  /// The number of changes that were announced, from a number that earlier connections have not
  /// reached.
  private(set) var changeCount: UInt64

  init(
    at address: String, deadline: Deadline, changeCount: UInt64 = 0
  ) throws(BusFailure) {
    self.deadline = deadline
    self.changeCount = changeCount
    connection = try BusConnection(to: address, by: deadline)
    busIdentifier = try Self.askBus("GetId", on: connection, by: deadline).result()
    for rule in [
      "type='signal',sender='\(Self.name)'",
      "type='signal',sender='\(Self.bus)',member='NameOwnerChanged',arg0='\(Self.name)'",
    ] {
      _ = try Self.askBus("AddMatch", rule, on: connection, by: deadline)
    }
  }

  var isLost: Bool { connection.isLost }

  // MARK: Calls

  private static func askBus(
    _ member: String, _ arguments: String..., on connection: BusConnection, by deadline: Deadline
  ) throws(BusFailure) -> BusMessage {
    try connection.call(
      bus, "/org/freedesktop/DBus", bus, member, arguments: arguments, by: deadline)
  }

  /// Asks the bus about the daemon.
  private func askBus<Result: BusResult>(_ member: String) throws(BusFailure) -> Result {
    try Self.askBus(member, Self.name, on: connection, by: deadline).result()
  }

  func call(
    _ path: String, _ interface: String, _ member: String, _ arguments: any BusArgument...,
    isSensitive: Bool = false
  ) throws(BusFailure) -> BusMessage {
    let reply = try connection.call(
      Self.name, path, interface.contains(".") ? interface : Self.interfaces + interface, member,
      arguments: arguments, by: deadline, isSensitive: isSensitive)
    receiveSignals()
    return reply
  }

  func property<Result: BusResult>(
    _ path: String, _ interface: String, _ name: String
  ) throws(BusFailure) -> Result {
    try call(path, Self.properties, "Get", Self.interfaces + interface, name).variant()
  }

  func setProperty(
    ofItem path: String, _ name: String, to value: any BusArgument
  ) throws(BusFailure) {
    _ = try call(path, Self.properties, "Set", Self.interfaces + "Item", name, BusVariant(value))
  }

  // MARK: The daemon and its collections

  /// Whether a process offers the Secret Service, even if it is stopped.
  func isThere() throws(BusFailure) -> Bool { try askBus("NameHasOwner") }

  /// The unique name of the daemon on the bus.
  func owner() throws(BusFailure) -> String { try askBus("GetNameOwner") }

  func ownersProcess() throws(BusFailure) -> UInt32 { try askBus("GetConnectionUnixProcessID") }

  func ownersUser() throws(BusFailure) -> UInt32 { try askBus("GetConnectionUnixUser") }

  /// The collection for new items; nil if the daemon has none.
  func defaultCollection() throws(BusFailure) -> String? {
    if let defaultPath { return defaultPath }
    let path = try call(Self.path, "Service", "ReadAlias", "default").result(BusPath.self).value
    defaultPath = path == "/" ? nil : path
    return defaultPath
  }

  func forgetDefaultCollection() { defaultPath = nil }

  func collections() throws(BusFailure) -> [BusPath] {
    try property(Self.path, "Service", "Collections")
  }

  func label(ofCollection path: String) throws(BusFailure) -> String {
    try property(path, "Collection", "Label")
  }

  func isLocked(_ collection: String) throws(BusFailure) -> Bool {
    try property(collection, "Collection", "Locked")
  }

  func lock(_ collection: String) throws(BusFailure) {
    let reply = try call(Self.path, "Service", "Lock", [BusPath(collection)])
    _ = try reply.result([BusPath].self)
    _ = try confirm(prompt: reply.result())
  }

  /// Unlocks a collection, for which the daemon may ask the user.
  func unlock(
    _ collection: String, isCancelled: @Sendable () -> Bool
  ) throws(BusFailure) -> PromptOutcome {
    let reply = try call(Self.path, "Service", "Unlock", [BusPath(collection)])
    _ = try reply.result([BusPath].self)
    return try complete(prompt: reply.result(), isCancelled: isCancelled)
  }

  // MARK: Changes

  /// Waits for the daemon to answer, after which all earlier changes are counted.
  func synchronize() throws(BusFailure) {
    _ = try call(Self.path, "org.freedesktop.DBus.Peer", "Ping")
  }

  /// Waits for signals until the deadline, or returns at once if there are any.
  func waitForSignals(until deadline: Deadline) {
    let before = changeCount
    receiveSignals()
    if changeCount == before { connection.wait(until: deadline) }
    receiveSignals()
  }

  /// Receives what has come since the last call, which also tells whether the connection was lost.
  ///
  /// Counts the announced changes, and forgets what is known about the changed items.
  func receiveSignals() {
    for signal in connection.receivedSignals() {
      switch signal.interface {
      case Self.bus where signal.member == "NameOwnerChanged" && signal.sender == Self.bus:
        session = nil
        defaultPath = nil
        known = [:]
        awaitedPrompt = nil
        changeCount += 1
      case Self.interfaces + "Prompt":
        awaitedPrompt?.receive(signal)
      case Self.interfaces + "Collection":
        changeCount += 1
        do throws(BusFailure) {
          known[try signal.message.result(BusPath.self).value] = nil
        } catch {
          known = [:]
        }
      case Self.interfaces + "Service":
        defaultPath = nil
        changeCount += 1
      default: break
      }
    }
  }

  /// Counts a change by this process, which the daemon may announce later.
  func countOwnChange(of item: String?) {
    changeCount += 1
    if let item { known[item] = nil }
  }
}
