import CLibrary
import Concurrency
import FoundationEssentials
package import SecretService
import SecretStorage
import StorageInternals
package import Testing

/// A session bus of one test, with a real gnome-keyring-daemon whose default keyring is unlocked.
package final class TestBus: Sendable {
  package let directory: TemporaryDirectory
  private let bus: ChildProcess
  private let daemon: Lock<ChildProcess?>

  package static let isAvailable = ["dbus-daemon", "gnome-keyring-daemon"].allSatisfy {
    FileManager.default.isExecutableFile(atPath: "/usr/bin/\($0)")
  }

  /// Starts the bus and, unless the password is nil, the daemon.
  package init(password: String? = "secret") throws {
    directory = try TemporaryDirectory(inMemory: true)
    for name in ["run/keyring", "data/keyrings"] {
      try FileSystem().makeDirectories(directory(name))
    }
    let configuration = """
      <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
        "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
      <busconfig><type>session</type><listen>unix:path=\(directory("run/bus"))</listen>
      <auth>EXTERNAL</auth><policy context="default"><allow send_destination="*" eavesdrop="true"/>
      <allow eavesdrop="true"/><allow own="*"/></policy>
      <limit name="max_replies_per_connection">50000</limit></busconfig>
      """
    try Data(configuration.utf8).write(to: URL(filePath: directory("bus.conf")))
    bus = try Self.start(
      "exec dbus-daemon --nofork --nopidfile --config-file=\"$1\" 2>/dev/null",
      [directory("bus.conf")], directory)
    daemon = Lock(nil)
    let socket = directory("run/bus")
    try wait { FileManager.default.fileExists(atPath: socket) }
    if let password { try startDaemon(password: password) }
  }

  deinit {
    stopDaemon()
    bus.stop()
    bus.end()
  }

  /// Starts the daemon, and waits until its default keyring is unlocked, or else locked or missing.
  package func startDaemon(password: String = "secret", isUnlocked: Bool = true) throws {
    let file = directory("password")
    try Data(password.utf8).write(to: URL(filePath: file))
    let program = """
      exec gnome-keyring-daemon --foreground --components=secrets \
      \(isUnlocked ? "--unlock" : "") --control-directory="$1" <"$2" >/dev/null 2>&1
      """
    let started = try Self.start(program, [directory("run/keyring"), file], directory)
    daemon.withLock { $0 = started }
    let probe = store(timeLimit: .seconds(2))
    try wait {
      do {
        _ = try probe.items(matching: .all)
        return true
      } catch SecretStoreError.locked {
        return !isUnlocked
      } catch {
        return !isUnlocked && "\(error)".contains("no default keyring")
      }
    }
  }

  package func stopDaemon() {
    daemon.withLock { daemon in
      daemon?.stop()
      daemon?.end()
      daemon = nil
    }
  }

  package func signalBus(_ number: Int32) { bus.signal(number) }

  package func signalDaemon(_ number: Int32) { daemon.withLock { $0?.signal(number) } }

  /// The variables of the bus, for stores and for programs.
  package var environment: [String: String] { Self.environment(of: directory) }

  private static func environment(of directory: TemporaryDirectory) -> [String: String] {
    [
      "HOME": directory.path, "XDG_RUNTIME_DIR": directory("run"),
      "XDG_DATA_HOME": directory("data"),
      "XDG_CONFIG_HOME": directory("config"), "XDG_CACHE_HOME": directory("cache"),
      "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(directory("run/bus"))",
    ]
  }

  package func store(
    layout: ItemLayout = .locket, timeLimit: Duration = .seconds(25)
  ) -> SecretServiceStore {
    SecretServiceStore(layout: layout, timeLimit: timeLimit, environment: environment)
  }

  private static func start(
    _ program: String, _ arguments: [String], _ directory: TemporaryDirectory,
    output: String? = nil
  ) throws -> ChildProcess {
    let variables = environment(of: directory).map { "\($0.key)=\($0.value)" }
    return try ChildProcess(
      "/usr/bin/env",
      ["-u", "DISPLAY", "-u", "WAYLAND_DISPLAY", "-u", "GNOME_KEYRING_CONTROL"] + variables
        + ["/bin/sh", "-c", program, "sh"] + arguments, output: output)
  }

  /// Runs a program of the shell on the bus, and returns its output and its exit status.
  package func run(
    _ program: String, _ arguments: [String] = []
  ) throws -> (output: [UInt8], status: Int32) {
    let path = directory("output-\(UUID())")
    let child = try Self.start(program, arguments, directory, output: path)
    let status = child.end()
    return (try content(of: path), status)
  }

  /// Starts a program of the shell on the bus.
  package func start(
    _ program: String, _ arguments: [String] = [], output: String
  ) throws -> ChildProcess {
    try Self.start(program, arguments, directory, output: directory(output))
  }
}

/// Tests that need a bus and a daemon.
///
/// Where they are missing, the tests are skipped, unless the environment variable CI is set: then
/// they run, and fail.
extension Trait where Self == ConditionTrait {
  package static var withDaemon: Self {
    .enabled(
      if: TestBus.isAvailable || ProcessInfo.processInfo.environment["CI"] != nil,
      "dbus-daemon or gnome-keyring-daemon is not installed")
  }
}
