import CLibrary
import Concurrency
public import FoundationEssentials
import StorageInternals
import Synchronization
import ValueFormats

/// A store of settings: values under keys, in a file that people and programs can read and edit.
///
/// ```swift
/// struct Player {
///   @StoredValue("volume", in: .standard) var volume = 0.8
/// }
/// ```
///
/// Properties are read from memory. Changes by another process or an editor are detected and
/// reported to observers; ``load()``, every write and every ``transaction(_:)`` check the file
/// itself. A write preserves the other keys of the file, and the formatting of their values.
///
/// Creating a store does not access its file, so it never fails. If the file cannot be read,
/// properties have the values last read or their defaults. Unreadable content is never overwritten.
///
/// Any number of threads and processes may use a file. A read does not wait for the lock, and a
/// write no longer than ``lockTimeout``. In a child that is forked without `exec`, each call throws
/// ``KeyValueStoreError/forked``, and properties have their defaults.
///
/// A method that writes traps during an in-place change of a property of the store, except within a
/// transaction. If it throws, nothing changes, unless the error is
/// ``KeyValueStoreError/uncertain(path:code:)``.
public final class KeyValueStore: Sendable {
  let backend: any KeyValueBackend
  let coding: any StoredFormat
  let version: SettingsVersion
  let state = Lock(StoreState())
  /// Held by the thread that writes or is in a transaction.
  let writeLock = RecursiveLock()
  /// Held by the thread that changes a property in place; acquired after `writeLock`.
  let propertyLock = RecursiveLock()
  let watch = Lock(Watch())
  /// Whether no watch has to be started, because one is running or the store is being released.
  let isWatching = Atomic(false)
  /// The queue for delayed writes, and for retries after a change to the file.
  let background = SerialQueue()
  /// The delay of writes; nil for durable writes.
  let delay: Duration?
  /// The job that makes the scheduled write; nil if there is none.
  let timer = Lock<ThreadPool.Job.ID?>(nil)
  private let timeout = LockTimeout()
  /// The time for which a missing, empty or partial file is ignored, in case it is being written.
  let gracePeriod: Duration

  /// Creates a store with a backend.
  ///
  /// - Parameters:
  ///   - backend: The storage of the values.
  ///   - writes: The policy for writing properties.
  ///   - version: The version of the app's settings, stored under the key `$version`; 0 for none.
  ///   - migrations: The migrations from older versions, in ascending order of version, from 1 to
  ///     `version`; any others cause a trap.
  public convenience init(
    _ backend: any KeyValueBackend, writes: WritePolicy = .durable, version: Int = 0,
    migrations: [KeyValueMigration] = []
  ) {
    self.init(
      backend, writes, SettingsVersion(version, migrations), gracePeriod: .milliseconds(200))
  }

  init(
    _ backend: any KeyValueBackend, _ writes: WritePolicy, _ version: SettingsVersion,
    gracePeriod: Duration
  ) {
    self.backend = backend
    coding = backend.format.coding
    self.version = version
    self.gracePeriod = gracePeriod
    delay = if case .coalesced(let delay) = writes { delay } else { nil }
    if writes != .durable { StoresToFlush.add(self) }
  }

  /// The store's name in messages, such as the path of its file.
  public var name: String { backend.name }

  /// A remark on the durability of writes in the file's directory; nil if there is none.
  package var directoryRemark: String? {
    get throws { try (backend as? FileBackend)?.directoryRemark }
  }

  /// The maximum time that a write waits for a process that has locked the file, 30 seconds by
  /// default, before it fails with ``KeyValueStoreError/busy(path:holder:)``.
  ///
  /// Custom backends may have their own limits.
  public var lockTimeout: Duration {
    get { timeout.duration }
    set { timeout.duration = newValue }
  }

  deinit {
    // The changes belong to the parent.
    if Fork.isChild { return }
    stopTimer()
    // No observer is left, so the write below must not start watching the file.
    isWatching.store(true, ordering: .releasing)
    do {
      try flush(within: lockTimeout)
    } catch {
      report(error)
    }
  }
}

extension KeyValueStore {
  /// Creates a store in memory, whose values are lost when the object is released.
  public convenience init() { self.init(MemoryBackend()) }

  /// Creates a store in a JSON file; neither the file nor its directory has to exist.
  ///
  /// See ``init(_:writes:version:migrations:)`` for the other parameters.
  public convenience init(
    json file: URL, writes: WritePolicy = .durable, version: Int = 0,
    migrations: [KeyValueMigration] = []
  ) {
    self.init(Self.backend(file, .json), writes: writes, version: version, migrations: migrations)
  }

  /// Creates a store in a property list, in the format ``KeyValueFormat/xml`` or
  /// ``KeyValueFormat/binary``; otherwise like ``init(json:writes:version:migrations:)``.
  public convenience init(
    propertyList file: URL, format: KeyValueFormat = .xml, writes: WritePolicy = .durable,
    version: Int = 0, migrations: [KeyValueMigration] = []
  ) {
    let backend: any KeyValueBackend =
      format == .json
      ? MemoryBackend(
        failingWith: .invalid("JSON is no property list. Create the store with init(json:)."))
      : Self.backend(file, format)
    self.init(backend, writes: writes, version: version, migrations: migrations)
  }

  /// Creates a store in `settings.json` in an app's configuration directory.
  ///
  /// The directory is `$XDG_CONFIG_HOME/<app>`, by default `~/.config/<app>`, with the name of the
  /// app, or of the executable if it is nil. For a system service without a home directory, it is
  /// systemd's `$CONFIGURATION_DIRECTORY`. If none of them is available, each access fails with
  /// ``KeyValueStoreError/unavailable(_:)``. See ``init(_:writes:version:migrations:)`` for the
  /// other parameters.
  public convenience init(
    applicationName: String?, writes: WritePolicy = .durable, version: Int = 0,
    migrations: [KeyValueMigration] = []
  ) {
    let backend: any KeyValueBackend
    do throws(Unavailable) {
      let directories = try ApplicationDirectories(applicationName: applicationName)
      backend = FileBackend(path: try directories.configuration + "/settings.json", format: .json)
    } catch {
      backend = MemoryBackend(failingWith: .unavailable("\(error)"))
    }
    self.init(backend, writes: writes, version: version, migrations: migrations)
  }

  /// The settings of this app, in `settings.json` in the directory named after the executable; see
  /// ``init(applicationName:writes:version:migrations:)``.
  public static let standard = KeyValueStore(applicationName: nil)

  private static func backend(_ file: URL, _ format: KeyValueFormat) -> any KeyValueBackend {
    // The path of an invalid URL is empty.
    let path = file.isFileURL ? file.path : ""
    if !path.isEmpty { return FileBackend(path: path, format: format) }
    return MemoryBackend(
      format: format,
      failingWith: .invalid("The URL of a store must be a file URL, with a path in UTF-8."))
  }

  private static let log = FailureLog<KeyValueStoreError>()
  private static let failureHandler = Lock<(@Sendable (KeyValueStoreError) -> Void)?>(nil)

  /// The handler of failures in calls that cannot throw, such as a property's getter or setter, and
  /// of mistakes in the file, which it gets when a store sees the file.
  ///
  /// It may be called on any thread. The default handler prints each distinct failure once to
  /// standard error, until the access succeeds again, or the invalid value changes; it remembers
  /// the latest 100. In a forked child it prints one line in all.
  public static var onFailure: @Sendable (KeyValueStoreError) -> Void {
    get {
      if Fork.isChild { return { _ in Fork.report() } }
      return failureHandler.withLock { $0 } ?? log.report
    }
    set { if !Fork.isChild { failureHandler.withLock { $0 = newValue } } }
  }

  /// Reports a failure.
  ///
  /// The app's handler may block, so no thread that serves all stores calls it.
  func report(_ error: KeyValueStoreError) {
    guard Self.isLibraryThread,
      let handler = Self.failureHandler.withLock({ $0 })
    else { return Self.onFailure(error) }
    state.withLock { $0.observers.queue }.run { handler(error) }
  }

  /// Whether the calling thread serves all stores.
  static var isLibraryThread: Bool { ThreadPool.work.isCurrent || Inotify.isCurrent }

  /// Lets the default handler print errors again.
  static func didSucceed(after errors: [KeyValueStoreError]) {
    for error in errors { log.forget(error) }
  }

  /// Reports changes that are lost at exit: on standard error, and to the app's handler.
  func reportUnwritten(_ error: KeyValueStoreError) {
    let keys = state.withLock { $0.unsaved.keys.map(\.string) }.sorted()
    let more = keys.count > 10 ? " and \(keys.count - 10) more" : ""
    let names = keys.prefix(10).map { String(reflecting: $0) }.joined(separator: ", ")
    writeToStandardError(
      """
      These settings of \(name) were not written before the process exited: \(names)\(more). \
      \(error)
      """)
    if let handler = Self.failureHandler.withLock({ $0 }) { handler(error) }
  }
}

/// The policy that determines when a ``KeyValueStore`` writes its properties.
public enum WritePolicy: Hashable, Sendable {
  /// A property's setter returns when the value is on disk.
  case durable
  /// A property's setter returns immediately, and the value is written after a delay.
  ///
  /// All changes within the delay are written together, or earlier by each method that writes, when
  /// the store is released, and when the process exits normally. A process that is killed loses its
  /// unsaved changes, even if the cause is an unhandled SIGTERM; see <doc:Durability>.
  case coalesced(within: Duration)
}
