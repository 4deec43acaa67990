import CLibrary
import Concurrency
import StorageInternals

/// A failure of a call by the bus.
enum BusFailure: Error, Equatable {
  /// There is no session bus; the description is one or more sentences.
  case noBus(String)
  /// The call was not sent; the description is one or more sentences.
  case unreachable(String)
  /// No answer came in time, or the connection was lost, so that the outcome is unknown.
  case noReply(String)
  /// The bus or the called process answered with an error.
  case refused(name: String, message: String)
  /// A message has an unexpected form.
  case malformed(String)
}

/// The time at which an operation gives up.
struct Deadline {
  let instant: SuspendingClock.Instant

  /// Limited to a year, so that no conversion overflows.
  init(after duration: Duration) {
    instant = .now + max(.zero, min(duration, .seconds(31_536_000)))
  }

  private init(_ instant: SuspendingClock.Instant) { self.instant = instant }

  /// A deadline earlier by a part of the time that is left, which remains for settling a call.
  var beforeSettling: Deadline { Deadline(instant - (instant - .now) / 5) }

  var hasPassed: Bool { SuspendingClock.now >= instant }

  /// The time that is left.
  var duration: Duration { max(.zero, instant - .now) }

  /// In microseconds, at least 1, since the library takes 0 for its own default.
  var remaining: UInt64 { UInt64(max(1, (instant - .now) / .microseconds(1))) }
}

/// A connection to the session bus, for one thread at a time.
@safe final class BusConnection {
  /// A signal that was received.
  struct Signal {
    let sender: String
    let path: String
    let interface: String
    let member: String
    let message: BusMessage
  }

  private let bus: BusLibrary.Bus
  private let library: BusLibrary
  /// Whether the connection was lost.
  private(set) var isLost = false

  /// Connects to a bus, and waits until it has accepted the connection.
  init(to address: String, by deadline: Deadline) throws(BusFailure) {
    do throws(DynamicLibraryError) {
      library = try BusLibrary.shared.get()
    } catch {
      throw .unreachable(error.description)
    }
    var new: BusLibrary.Bus?
    var code = unsafe library.new(&new)
    guard let bus = unsafe new, code >= 0 else { throw Self.unreachable(address, code) }
    unsafe self.bus = bus
    code = unsafe library.setAddress(bus, address)
    if code >= 0 { code = unsafe library.setBusClient(bus, 1) }
    if code >= 0 { code = unsafe library.start(bus) }
    if code < 0 { throw Self.unreachable(address, code) }
    while true {
      code = unsafe library.isReady(bus)
      if code > 0 { return }
      if code == 0 { code = unsafe library.process(bus, nil) }
      if code == 0, deadline.hasPassed { code = -ETIMEDOUT }
      if code == 0 { code = unsafe library.wait(bus, deadline.remaining) }
      if code < 0 && code != -EINTR { throw Self.unreachable(address, code) }
    }
  }

  deinit {
    unsafe library.close(bus)
    _ = unsafe library.release(bus)
  }

  private static func unreachable(_ address: String, _ code: Int32) -> BusFailure {
    let description = """
      The session bus at \(address) cannot be reached: \(SystemError.message(for: -code)). Start a \
      session bus, for example with dbus-run-session, and set DBUS_SESSION_BUS_ADDRESS to its address.
      """
    return [ENOENT, ECONNREFUSED].contains(-code) ? .noBus(description) : .unreachable(description)
  }

  /// Calls a method and waits for its reply.
  ///
  /// No process is started to answer the call.
  func call(
    _ destination: String, _ path: String, _ interface: String, _ member: String,
    arguments: [any BusArgument], by deadline: Deadline, isSensitive: Bool = false
  ) throws(BusFailure) -> BusMessage {
    if deadline.hasPassed { throw .unreachable("The time for the operation is over.") }
    var new: BusLibrary.Message?
    let created = unsafe library.newMethodCall(bus, &new, destination, path, interface, member)
    guard let new = unsafe new, created >= 0 else {
      isLost = isLost || created == -ENOTCONN
      throw created == -ENOTCONN
        ? .unreachable("The connection to the session bus was lost.")
        : .malformed("a call of \(path)")
    }
    let message = unsafe BusMessage(new, of: library)
    _ = unsafe library.setAutoStart(message.message, 0)
    if isSensitive { message.markSensitive() }
    for argument in arguments { try argument.write(to: message) }
    var failure = unsafe BusLibrary.Failure()
    var reply: BusLibrary.Message?
    let code = unsafe library.call(bus, message.message, deadline.remaining, &failure, &reply)
    defer { unsafe library.releaseError(&failure) }
    if let reply = unsafe reply, code >= 0 {
      let reply = unsafe BusMessage(reply, of: library)
      if isSensitive { reply.markSensitive() }
      return reply
    }
    throw failureOfCall(
      code, name: unsafe failure.name.map { unsafe String(cString: $0) } ?? "",
      // Bounded, since it becomes part of an error.
      message: String((unsafe failure.message.map { unsafe String(cString: $0) } ?? "").prefix(500))
    )
  }

  private func failureOfCall(_ code: Int32, name: String, message: String) -> BusFailure {
    let lost: Set<Int32> = [ECONNRESET, ENOTCONN, EPIPE, EBADF, ECONNABORTED, ENOBUFS, EBADMSG]
    if lost.contains(-code) { isLost = true }
    let unanswered: Set = [
      "org.freedesktop.DBus.Error.NoReply", "org.freedesktop.DBus.Error.Timeout",
      "org.freedesktop.DBus.Error.TimedOut", "org.freedesktop.DBus.Error.Disconnected",
    ]
    if isLost || code == -ETIMEDOUT || name.isEmpty || unanswered.contains(name)
      || name.hasPrefix("System.Error.")
    {
      return .noReply(message.isEmpty ? SystemError.message(for: -code) : message)
    }
    return .refused(name: name, message: message)
  }

  /// The most signals that are returned at once, so that a process that sends them without end
  /// does not keep the caller.
  private static let signalCount = 1000

  /// Returns the signals that were received, without waiting; further ones with the next call.
  func receivedSignals() -> [Signal] {
    var signals: [Signal] = []
    while signals.count < Self.signalCount {
      var received: BusLibrary.Message?
      let code = unsafe library.process(bus, &received)
      if let received = unsafe received {
        let message = unsafe BusMessage(received, of: library)
        signals.append(
          Signal(
            sender: message.sender, path: message.path, interface: message.interface,
            member: message.member, message: message))
      }
      if code < 0 && code != -EINTR { isLost = true }
      if code <= 0 { break }
    }
    return signals
  }

  /// Waits until something is received, or the deadline.
  func wait(until deadline: Deadline) {
    let code = unsafe library.wait(bus, deadline.remaining)
    if code < 0 && code != -EINTR { isLost = true }
  }
}
