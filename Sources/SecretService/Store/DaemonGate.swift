import Concurrency
import Dispatch
import SecretStorage

/// The connection of a process to the daemon, used by one thread at a time.
///
/// `@unchecked`: the semaphore guards the other properties.
final class DaemonGate: @unchecked Sendable {
  private let address: String
  private let turn = DispatchSemaphore(value: 1)
  private var daemon: SecretDaemon?
  /// The changes that were counted on earlier connections.
  private var changeCount = UInt64(Fork.generation) << 48
  /// The paths of items by their identifiers.
  private var paths: [SecretItem.ID: String] = [:]

  init(address: String) { self.address = address }

  /// Calls a closure with the daemon, after the calls of other threads.
  func withDaemon<Result>(
    by deadline: Deadline, _ body: (SecretDaemon, inout [SecretItem.ID: String]) throws -> Result
  ) throws(SecretStoreError) -> Result {
    guard turn.wait(until: deadline.instant) else {
      throw .unavailable(
        """
        Other threads' calls to the Secret Service did not end in time. Try again, and continue or \
        restart the daemon if it is stopped.
        """)
    }
    defer { turn.signal() }
    do {
      daemon?.receiveSignals()
      if let lost = daemon, lost.isLost {
        changeCount = lost.changeCount + 1
        daemon = nil
      }
      let daemon =
        if let daemon { daemon } else {
          try SecretDaemon(at: address, deadline: deadline, changeCount: changeCount)
        }
      self.daemon = daemon
      daemon.deadline = deadline
      // Bounded, since others may add and remove items without end.
      if paths.count > 100_000 { paths = [:] }
      return try body(daemon, &paths)
    } catch let error as SecretStoreError {
      throw error
    } catch let failure as BusFailure {
      throw SecretStoreError(failure)
    } catch {
      throw .unavailable("\(error)")
    }
  }
}

extension SecretStoreError {
  /// The error for a call that failed before it changed anything.
  init(_ failure: BusFailure) {
    switch failure {
    case .noBus(let reason), .unreachable(let reason): self = .unavailable(reason)
    case .noReply(let reason):
      self = .unavailable(
        """
        The Secret Service did not answer: \(reason). Try again, and continue or restart the daemon if \
        it is stopped.
        """)
    case .malformed(let what):
      self = .unavailable(
        "The Secret Service was asked for, or sent, \(what). Report this with the daemon's version."
      )
    case .refused(let name, let message): self = Self.refused(name, message)
    }
  }

  private static func refused(_ name: String, _ message: String) -> SecretStoreError {
    switch name {
    case "org.freedesktop.Secret.Error.IsLocked": .locked
    case SecretDaemon.dismissed: .denied("the daemon's prompt was dismissed")
    case "org.freedesktop.DBus.Error.AccessDenied":
      .denied("the Secret Service denied access: \(message)")
    case "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner":
      .unavailable(
        """
        No Secret Service runs on the session bus. Start one, for example gnome-keyring-daemon or \
        KeePassXC with its Secret Service integration.
        """)
    default: .unavailable("The Secret Service answered with \(name): \(message)")
    }
  }

  static let noCollection = SecretStoreError.unavailable(
    """
    The Secret Service has no default keyring. Create one, for example in Seahorse, or log in with a \
    password, and try again.
    """)
}

extension BusFailure {
  /// Whether the object that was called does not exist, as after its removal.
  var isMissingObject: Bool {
    guard case .refused(let name, _) = self else { return false }
    return [
      "org.freedesktop.DBus.Error.UnknownMethod", "org.freedesktop.DBus.Error.UnknownObject",
      "org.freedesktop.DBus.Error.UnknownInterface", "org.freedesktop.Secret.Error.NoSuchObject",
    ].contains(name)
  }
}
