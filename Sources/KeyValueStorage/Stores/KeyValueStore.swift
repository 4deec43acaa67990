import Concurrency
public import FoundationEssentials
import StorageInternals
import ValueFormats

/// A store of settings: values under keys, in a file that people and programs can read and edit.
///
/// ```swift
/// struct Player {
///   @StoredValue("volume", in: .standard) var volume = 0.8
/// }
/// ```
///
/// Reads come from memory. Changes by another process or an editor are detected and reported to
/// observers; ``load()``, every write and every ``transaction(_:)`` check the file itself. Writes
/// keep keys that the app does not know, with their spelling.
///
/// Creating a store does not access its file, so it never fails. If the file cannot be read,
/// properties have the values read last, or their defaults, and report the error; unreadable
/// content is never overwritten.
///
/// Several threads may use a store at once, and several processes its file. Reading never waits for
/// a writer. A write waits for other processes no longer than ``lockTimeout``.
public final class KeyValueStore: Sendable {
  let backend: any KeyValueBackend
  let format: any StoredFormat
  let version: SettingsVersion
  let state = Lock(StoreState(), inForkedChild: { StoreState() })
  /// Held by the one thread that writes, or is in a transaction.
  let writing = RecursiveLock()
  /// The threads that save, whose changes are written together.
  let saves = Saves()
  /// Held by the one thread that sets a property or changes one in place; locked after `writing`,
  /// if both are.
  let setting = RecursiveLock()
  private let watch = Lock(Watch(), inForkedChild: { Watch() })
  /// The thread of delayed writes and of retries after a change of the file.
  let background = SerialThread()
  /// The time after which unsaved changes are written; nil for durable writes.
  let delay: Duration?
  /// The number of the closure on `background` that will write them.
  let timer = Lock<Int?>(nil, inForkedChild: { nil })
  private let timeout = LockTimeout()
  /// The time that a file may be missing, empty or half written before that counts.
  let settlingTime: Duration

  /// Creates a store with a backend.
  ///
  /// - Parameters:
  ///   - backend: The storage of the values.
  ///   - writes: The policy for writing properties.
  ///   - version: The version of the app's settings, kept under the key `$version`; 0 for none.
  ///   - migrations: The migrations from older versions, by ascending version.
  public convenience init(
    _ backend: any KeyValueBackend, writes: WritePolicy = .durable, version: Int = 0,
    migrations: [KeyValueMigration] = []
  ) {
    self.init(
      backend, writes, SettingsVersion(version, migrations), settlingTime: .milliseconds(200))
  }

  init(
    _ backend: any KeyValueBackend, _ writes: WritePolicy, _ version: SettingsVersion,
    settlingTime: Duration
  ) {
    self.backend = backend
    format = backend.format.coding
    self.version = version
    self.settlingTime = settlingTime
    delay = if case .coalesced(let delay) = writes { delay } else { nil }
    if writes != .durable { StoresToFlush.add(self) }
  }

  /// The store's name in messages, such as the path of its file.
  public var name: String { backend.name }

  /// The longest wait of a write for a process that has locked the file, 30 seconds by default.
  ///
  /// After that the write fails with ``KeyValueStoreError/busy(path:holder:)``, and later writes
  /// fail at once until the lock is free. An app's own backends have their own limits.
  public var lockTimeout: Duration {
    get { timeout.duration }
    set { timeout.duration = newValue }
  }

  /// Writes unsaved changes.
  deinit {
    stopTimer()
    // The write below must not begin to watch: no observer is left.
    watch.withLock { $0.observation = KeyValueObservation {} }
    flushReportingFailure()
  }
}

extension KeyValueStore {
  /// Creates a store in memory, which ends with this object.
  public convenience init() {
    self.init(MemoryBackend())
  }

  /// Creates a store in a JSON file; neither the file nor its directory need exist.
  ///
  /// See ``init(_:writes:version:migrations:)`` for the other parameters.
  public convenience init(
    json file: URL, writes: WritePolicy = .durable, version: Int = 0,
    migrations: [KeyValueMigration] = []
  ) {
    self.init(
      Self.backend(file, .json), writes: writes, version: version, migrations: migrations)
  }

  /// Creates a store in a property list; neither the file nor its directory need exist.
  ///
  /// See ``init(_:writes:version:migrations:)`` for the other parameters.
  public convenience init(
    propertyList file: URL, format: PropertyListFormat = .xml, writes: WritePolicy = .durable,
    version: Int = 0, migrations: [KeyValueMigration] = []
  ) {
    let format: KeyValueFormat =
      switch format {
      case .xml: .xmlPropertyList
      case .binary: .binaryPropertyList
      }
    self.init(
      Self.backend(file, format), writes: writes, version: version, migrations: migrations)
  }

  /// Creates a store in an app's own file, `settings.json` in its configuration directory.
  ///
  /// The directory is `$XDG_CONFIG_HOME/<app>`, by default `~/.config/<app>`; for a system service
  /// without a home, systemd's `$CONFIGURATION_DIRECTORY`. If none of them is known, each access
  /// fails with ``KeyValueStoreError/unavailable(_:)``.
  ///
  /// - Parameters:
  ///   - applicationName: The name of the directory; nil means the name of the executable.
  ///   - writes: The policy for writing properties.
  ///   - version: See ``init(_:writes:version:migrations:)``.
  ///   - migrations: See ``init(_:writes:version:migrations:)``.
  public convenience init(
    applicationName: String?, writes: WritePolicy = .durable, version: Int = 0,
    migrations: [KeyValueMigration] = []
  ) {
    let backend: any KeyValueBackend
    do throws(ApplicationDirectoriesError) {
      let directories = try ApplicationDirectories(applicationName: applicationName)
      backend = FileBackend(path: try directories.configuration + "/settings.json", format: .json)
    } catch {
      backend = UnreachableBackend(format: .json, error: .unavailable("\(error)"))
    }
    self.init(backend, writes: writes, version: version, migrations: migrations)
  }

  /// The settings of this app, in `settings.json` of the directory named after the executable.
  ///
  /// An app with another name, or with migrations, creates its own store once, with
  /// ``init(applicationName:writes:version:migrations:)``.
  public static let standard = KeyValueStore(applicationName: nil)

  private static func backend(_ file: URL, _ format: KeyValueFormat) -> any KeyValueBackend {
    if file.isFileURL { return FileBackend(path: file.path, format: format) }
    return UnreachableBackend(
      format: format, error: .invalid("The store needs the URL of a file"))
  }

  /// Begins to watch for changes by other processes, unless it does already.
  ///
  /// - Parameter isImplicit: Whether to try this at most once a second.
  func startWatching(isImplicit: Bool = false) {
    // In a child, each access checks for changes.
    if Fork.isChild || watch.withLock({ $0.observation != nil }) { return }
    noteProblem { watch throws(KeyValueStoreError) in
      if watch.observation != nil { return watch.problem }
      if isImplicit, let last = watch.attempt, .now - last < .seconds(1) { return watch.problem }
      watch.attempt = .now
      watch.observation = try backend.observe { [weak self] in self?.fileDidChange() }
      return watch.observation?.problem
    }
  }

  /// Records whether changes are noticed at once, and reports a new reason why they are not.
  ///
  /// Until they are, each access checks for changes.
  func noteProblem(_ find: (inout Watch) throws(KeyValueStoreError) -> KeyValueStoreError?) {
    let news = watch.withLock { watch -> KeyValueStoreError? in
      let last = watch.problem
      do throws(KeyValueStoreError) {
        watch.problem = try find(&watch)
      } catch {
        watch.problem = error
      }
      state.withLock { $0.isWatched = watch.observation != nil && watch.problem == nil }
      return watch.problem == last ? nil : watch.problem
    }
    if let news { Self.report(news) }
  }

  /// The observation of the backend.
  struct Watch {
    var observation: KeyValueObservation?
    /// The time of the last attempt to observe the backend.
    var attempt: ContinuousClock.Instant?
    /// The reason why changes are not noticed at once.
    var problem: KeyValueStoreError?
  }
}

/// The two encodings of a property list.
public enum PropertyListFormat: Hashable, Sendable, CaseIterable {
  /// Text that people can edit.
  case xml
  /// The compact form, which holds dates with fractions of a second as dates.
  case binary
}

extension KeyValueStore {
  private static let log = FailureLog<KeyValueStoreError>()
  /// The app's handler; nil in a forked child, where it may be half set.
  private static let failureHandler = Lock<(@Sendable (KeyValueStoreError) -> Void)?>(
    nil, inForkedChild: { nil })

  /// The handler of failures in calls that cannot throw, such as a property's getter or setter.
  ///
  /// It may be called on any thread. Unless the app sets another handler, each distinct failure of
  /// the process is one line on standard error. A forked child starts without the app's handler.
  public static var onFailure: @Sendable (KeyValueStoreError) -> Void {
    get { failureHandler.withLock { $0 } ?? log.report }
    set { failureHandler.withLock { $0 = newValue } }
  }

  static func report(_ error: KeyValueStoreError) {
    onFailure(error)
  }

  /// Reports changes lost at the end of a process: on standard error, and to the app's handler.
  func reportUnwritten(_ error: KeyValueStoreError) {
    let keys = state.withLock { $0.unsaved.keys.map(\.string) }.sorted()
    let more = keys.count > 10 ? " and \(keys.count - 10) more" : ""
    let names = keys.prefix(10).map { String(reflecting: $0) }.joined(separator: ", ")
    FailureLog<KeyValueStoreError>.standardError(
      "The process ends, and these settings of \(name) are not written: \(names)\(more). \(error)")
    if let handler = Self.failureHandler.withLock({ $0 }) { handler(error) }
  }
}
