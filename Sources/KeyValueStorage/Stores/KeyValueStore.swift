import Concurrency
public import FoundationEssentials
import StorageInternals
import Synchronization

/// Settings: values under keys, in a file that people and other programs can read and edit.
///
/// ```swift
/// struct Player {
///   @StoredValue("volume", in: .standard) var volume = 0.8
/// }
/// ```
///
/// Reads come from memory. What another process or an editor writes is noticed and announced to
/// observers; ``load()``, every write and every ``transaction(_:)`` look at the file itself. Keys
/// that the app does not know survive each write as they are spelled.
///
/// A store is made without looking at its file, so that making one never fails. When the file
/// cannot be read, properties have the values that were read last, or their defaults, and say why;
/// nothing is ever written over what could not be read.
///
/// All of it may be used from several threads at once, and the file by several processes. Reading
/// never waits for a writer. A write waits for other processes no longer than ``lockTimeout``.
public final class KeyValueStore: Sendable {
  let backend: any KeyValueBackend
  let format: any StoredFormat
  let version: SettingsVersion
  let state = Lock(StoreState(), inForkedChild: { StoreState() })
  /// For the one thread that writes, or is in a transaction.
  let writing = Turn()
  /// For the one thread that sets a property or changes one in place; begun after `writing`, if
  /// both.
  let setting = Turn()
  private let watch = Lock(Watch(), inForkedChild: { Watch() })
  /// Where writing and looking at the file wait for their time.
  let background = SerialThread()
  let schedule: WriteSchedule
  /// In nanoseconds.
  private let patience = Atomic(FileLock.defaultTimeout.nanoseconds)
  /// How long a file may be missing, empty or half written before that counts.
  let settlingTime: Duration

  /// Makes a store over a backend.
  ///
  /// - Parameters:
  ///   - backend: Where the values are.
  ///   - writes: When properties that were set are written.
  ///   - version: The version that the app's settings have, kept under the key `$version`; 0 for
  ///     none.
  ///   - migrations: How settings of older versions get there, by ascending version.
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
    schedule = WriteSchedule(writes, on: background)
    schedule.flush = { [weak self] in
      guard let self else { return }
      flushInTime(within: lockTimeout)
    }
    if writes != .durable { StoresToFlush.add(self) }
  }

  /// What the store is called in messages, such as the path of its file.
  public var name: String { backend.name }

  /// How long a write waits for a process that has locked the file, 30 seconds by default.
  ///
  /// After that it fails with ``KeyValueStoreError/busy(path:holder:)``, and so do further writes,
  /// at once, until the lock is free. Backends of an app's own have rules of their own.
  public var lockTimeout: Duration {
    get { .nanoseconds(patience.load(ordering: .relaxed)) }
    set { patience.store(max(.zero, newValue).nanoseconds, ordering: .relaxed) }
  }

  /// Writes what is not written yet.
  deinit {
    schedule.end()
    // What is written now must not begin to watch: no observer is left.
    watch.withLock { $0.observation = KeyValueObservation {} }
    flushInBackground()
  }
}

extension KeyValueStore {
  /// Makes a store in memory, which ends with this object.
  public convenience init() {
    self.init(MemoryBackend())
  }

  /// Makes a store in a JSON file, which need not be there yet, nor its directory.
  ///
  /// See ``init(_:writes:version:migrations:)`` for the other parameters.
  public convenience init(
    json file: URL, writes: WritePolicy = .durable, version: Int = 0,
    migrations: [KeyValueMigration] = []
  ) {
    self.init(
      Self.backend(file, .json), writes: writes, version: version, migrations: migrations)
  }

  /// Makes a store in a property list, which need not be there yet, nor its directory.
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

  /// Makes a store in an app's own file, `settings.json` in its configuration directory.
  ///
  /// The directory is `$XDG_CONFIG_HOME/<app>`, by default `~/.config/<app>`; for a system service
  /// without a home, systemd's `$CONFIGURATION_DIRECTORY`. Where none of them is, each access fails
  /// with ``KeyValueStoreError/unavailable(_:)``.
  ///
  /// - Parameters:
  ///   - applicationName: The name of the directory; nil means the name of the executable.
  ///   - writes: When properties that were set are written.
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
  /// An app with another name, or with migrations, makes a store of its own once, by
  /// ``init(applicationName:writes:version:migrations:)``.
  public static let standard = KeyValueStore(applicationName: nil)

  private static func backend(_ file: URL, _ format: KeyValueFormat) -> any KeyValueBackend {
    if file.isFileURL { return FileBackend(path: file.path, format: format) }
    return UnreachableBackend(
      format: format, error: .invalid("A store is in a file, and this URL is not one of a file"))
  }

  /// Begins to hear of changes that others make, if that is not the case yet.
  ///
  /// - Parameter isImplicit: Whether to try this no more than once a second.
  func beginToWatch(isImplicit: Bool = false) {
    // Its accesses look for changes.
    if Fork.isChild { return }
    let news = watch.withLock { watch -> KeyValueStoreError? in
      if watch.observation != nil { return nil }
      if isImplicit, let last = watch.attempt, .now - last < .seconds(1) { return nil }
      watch.attempt = .now
      do throws(KeyValueStoreError) {
        watch.observation = try backend.observe { [weak self] in self?.hearOfChange() }
        watch.problem = nil
        state.withLock { $0.isWatched = true }
        return nil
      } catch {
        defer { watch.problem = error }
        return watch.problem == error ? nil : error
      }
    }
    // Until it succeeds, accesses look for changes.
    if let news { Self.report(news) }
  }

  private struct Watch {
    var observation: KeyValueObservation?
    /// When it was last tried to observe the backend.
    var attempt: ContinuousClock.Instant?
    /// Why that failed.
    var problem: KeyValueStoreError?
  }
}

/// The two ways to write a property list.
public enum PropertyListFormat: Hashable, Sendable, CaseIterable {
  /// Text that people can edit.
  case xml
  /// The compact form, which holds dates with fractions of a second as dates.
  case binary
}
