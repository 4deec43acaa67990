import CLibrary
import Concurrency

extension SecretVault {
  /// Whether the vault is locked: it exists, and its user key is not in memory.
  ///
  /// - Throws: ``SecretStoreError`` when the vault cannot be read.
  public var isLocked: Bool {
    get throws {
      try withContents { contents throws(SecretStoreError) in
        try contents.knownTable() != nil && !contents.keys.isUnlocked
      }
    }
  }

  /// Removes the keys of the vault from memory, except those that stay until the process ends.
  ///
  /// Items that are ``Accessibility/whenUnlocked`` cannot be read or written until the app unlocks
  /// the vault; attributes can still be searched. While the vault has its device slot, any program
  /// of this user can unlock it again.
  ///
  /// Where another thread derives the key of a passphrase of the vault, as to unlock it, that call
  /// throws ``SecretStoreError/cancelled``.
  public func lock() {
    contents.withLock { contents in
      contents.lock()
      contents.lockings += 1
    }
    announce()
  }

  /// Unlocks the vault after ``lock()`` with this device's key or a credential, unattended.
  ///
  /// - Throws: ``SecretStoreError/locked`` when the vault has no slot for either,
  ///   ``SecretStoreError/otherDevice(_:)`` when the slot is another machine's, or
  ///   ``SecretStoreError/wrongKey(_:)`` when it is for another credential of that name.
  public func unlock() throws {
    try withContents { contents throws(SecretStoreError) in
      contents.keys.isLockedByApp = false
      contents.startOver()
    }
    try withContents { contents throws(SecretStoreError) in
      if try contents.knownTable() == nil || contents.keys.isUnlocked { return }
      if let obstacle = contents.keys.obstacle { throw obstacle }
      throw contents.keys.table?.hasDevice == true ? .otherDevice("The vault") : .locked
    }
    announce()
  }
}

extension SecretVault {
  /// Unlocks the vault with a key for one of its slots.
  ///
  /// A passphrase deliberately takes about half a second and as much memory as its slot states: 16
  /// MiB to 1 GiB. Other keys take no noticeable time.
  ///
  /// - Throws: ``SecretStoreError/wrongPassphrase``, ``SecretStoreError/wrongKey(_:)`` or
  ///   ``SecretStoreError/otherDevice(_:)`` when the key opens none of the slots of its kind,
  ///   ``SecretStoreError/corrupted(_:)`` when it is right but the slot is damaged, or when the
  ///   slot asks for more or less work than allowed, ``SecretStoreError/invalid(_:)`` when the
  ///   vault has no such slot or the key is too short or too long, ``SecretStoreError/cancelled``
  ///   when ``lock()`` was called meanwhile, as by a signal (the vault then stays locked), or the
  ///   task was cancelled, or the error of reading the key.
  public func unlock(with key: UnlockKey) throws {
    let lockings = contents.withLock { $0.lockings }
    while try !takeUserKey(from: key, after: lockings) {}
    announce()
  }

  /// A check that throws ``SecretStoreError/cancelled`` after the next ``lock()``; it ends a slow
  /// key derivation.
  var cancellationByLocking: () throws(SecretStoreError) -> Void {
    cancellation(after: contents.withLock { $0.lockings })
  }

  private func cancellation(
    after lockings: UInt64
  ) -> () throws(SecretStoreError) -> Void {
    { () throws(SecretStoreError) in
      if self.contents.withLock({ $0.lockings }) != lockings { throw .cancelled }
    }
  }

  /// Unlocks the vault with a key; returns false if the vault gets another user key meanwhile.
  private func takeUserKey(
    from key: UnlockKey, after lockings: UInt64
  ) throws(SecretStoreError) -> Bool {
    let parts = try parts
    // Detects a rollback before any slot is tried: an older copy may have slots removed since.
    let table = try read { contents throws(SecretStoreError) in try contents.knownTable() }
    guard let table, table.slots.contains(where: { $0.kind.accepts(key.kind) }) else {
      throw key.absence
    }
    let slotKey = try key.slotKey(parts.device, for: table)
    let user = try table.open(
      with: slotKey, cipher, otherwise: key.refusal, checking: cancellation(after: lockings))
    return try unlock(withUserKey: user, of: table, after: lockings)
  }

  /// Reads the vault again with the user key of a table; returns false if it has another one by
  /// now.
  ///
  /// Throws ``SecretStoreError/cancelled`` when the app has locked the vault more than `lockings`
  /// times.
  func unlock(
    withUserKey user: Secret, of table: KeyTable, after lockings: UInt64
  ) throws(SecretStoreError) -> Bool {
    try withContents { contents throws(SecretStoreError) in
      if contents.lockings != lockings { throw .cancelled }
      _ = contents.keys.ring.adapt(to: table)
      contents.keys.ring.user = user
      contents.keys.isLockedByApp = false
      contents.startOver()
    }
    return try withContents { contents throws(SecretStoreError) in
      if let distrust = contents.distrust {
        contents.lock()
        throw distrust
      }
      if contents.keys.isUnlocked { return true }
      if contents.lockings != lockings { throw .cancelled }
      // A forged file may have tables of several user keys, so that retrying would never end.
      if contents.damage.isEmpty { return false }
      throw .corrupted("Tables of keys are not authentic; damaged: \(contents.damage.description)")
    }
  }
}

extension KeyTable {
  /// Returns the user key from the first slot that a key opens.
  ///
  /// The check is called before each slot, and a few times a second during the key derivation; it
  /// cancels the work by throwing. Cancelling the task has the same effect.
  func open(
    with key: SlotKey, _ cipher: any SecretCipher,
    otherwise refusal: SecretStoreError = .wrongPassphrase,
    checking check: () throws(SecretStoreError) -> Void = {}
  ) throws(SecretStoreError) -> Secret {
    var failure = refusal
    var ending: SecretStoreError?
    func checkAndNote() throws(SecretStoreError) {
      do throws(SecretStoreError) {
        if TaskCancellation.isRequested { throw .cancelled }
        try check()
      } catch {
        ending = error
        throw error
      }
    }
    let sealer = sealer(cipher)
    var work: UInt64 = 0
    for slot in slots {
      if key.kind.cost != nil { work += slot.work }
      guard work <= Self.workLimit else {
        // Only a forged file asks for hours of work.
        throw .corrupted(
          "The key slots of passphrases together ask for an excessive amount of work")
      }
      try checkAndNote()
      do throws(SecretStoreError) {
        let user = try slot.open(with: key, by: sealer, checking: checkAndNote)
        if let user { return user }
      } catch {
        if let ending { throw ending }
        // Another slot may be intact.
        failure = error
      }
    }
    throw failure
  }
}

extension SecretVault {
  /// The conditions under which the vault locks automatically; the newest setting counts.
  ///
  /// The setting holds for this object and does not keep it alive. Setting it starts the idle time,
  /// and no later signal is missed. Locking has the effect of ``lock()``; an app that detects
  /// another reason to lock, such as `PrepareForSleep` of systemd-logind, calls that method.
  ///
  /// In a forked child, the vault starts without the setting of its parent. A setting made there
  /// locks at the first access after the idle time and at no signal; ``SecretStores/onFailure``
  /// reports this.
  ///
  /// It is a programming error to name a signal that cannot be caught, such as SIGKILL, or that
  /// reports an error of a thread, such as SIGSEGV or SIGPIPE.
  public var automaticLocking: AutomaticLocking {
    get { automaticLockingState.withLock { $0.setting } }
    set { lock(newValue) { .now } }
  }

  /// Applies a setting, and measures the idle time with a clock.
  func lock(
    _ setting: AutomaticLocking, by now: @escaping @Sendable () -> ContinuousClock.Instant
  ) {
    let isLocked = automaticLockingState.withLock { state in
      state.setting = setting
      let signals = Fork.isChild ? [] : setting.allSignals
      state.observations = signals.map { number in
        SignalSource.of(number).observe { [weak self] in self?.lock() }
      }
      let idle = setting.afterIdle.map { limit in
        IdlePeriod(limit, now: now) { [weak self] in self?.lockIfIdle() }
      }
      return contents.withLock { contents in
        // The idle time of the previous setting may be over without an access that noticed it.
        let isLocked = contents.lockIfIdle()
        contents.idle = idle
        contents.beginIdlePeriod()
        return isLocked
      }
    }
    if isLocked { announce() }
    if Fork.isChild, setting != AutomaticLocking() {
      report(
        SecretStorageFailure(
          .upkeep,
          .unavailable(
            """
            A forked child has no threads that wait for timers and signals. The vault locks at the \
            first access after its idle time, and at no signal.
            """)))
    }
  }

  /// Locks the vault if its idle time is over; the timer may call this early.
  private func lockIfIdle() {
    let isLocked = contents.withLock { contents in
      let isLocked = contents.lockIfIdle()
      if !isLocked { contents.idle?.waitForRest() }
      return isLocked
    }
    if isLocked { announce() }
  }
}

/// The automatic locking of a vault, except the idle period, which its contents hold.
struct AutomaticLockingState: Sendable {
  var setting = AutomaticLocking()
  var observations: [ChangeObservation] = []
}

extension VaultContents {
  /// Removes the keys from memory, except those that stay until the process ends.
  mutating func lock() {
    keys.isLockedByApp = true
    keys.ring.lock()
    keys.coming = nil
    recordKeys = [:]
    idle?.stop()
    generation += 1
    cipher.forgetKeys()
  }

  /// Locks if the idle period is over, and returns whether it did.
  mutating func lockIfIdle() -> Bool {
    guard idle?.isOver == true else { return false }
    lock()
    return true
  }

  /// Starts the idle period if the user key is in memory.
  mutating func beginIdlePeriod() {
    if keys.ring.user != nil { idle?.begin() }
  }
}

/// The conditions under which a vault locks automatically; by default none.
///
/// ```swift
/// vault.automaticLocking = AutomaticLocking(afterIdle: .seconds(300), whenSuspended: true)
/// ```
public struct AutomaticLocking: Hashable, Sendable {
  /// The longest time that the vault stays unlocked without use; nil for no limit.
  ///
  /// A use reads a secret, or adds, changes or removes an item, through the object that has the
  /// setting. Searches and ``SecretVault/revision()`` do not count, because an app that polls would
  /// never lock. The time that the machine sleeps counts, and an access after the limit finds the
  /// vault locked.
  public var afterIdle: Duration?

  /// Whether the vault locks before SIGTSTP, the signal of Ctrl-Z in a terminal, stops the process.
  ///
  /// SIGSTOP cannot be caught, and a machine that goes to sleep sends no signal.
  public var whenSuspended: Bool

  /// The numbers of the signals that lock the vault, such as `[SIGUSR1]`.
  ///
  /// From then on until the process ends, such a signal loses its default action, even when it no
  /// longer locks a vault. SIGTSTP means the same as ``whenSuspended``.
  public var signals: Set<Int32>

  /// Creates a setting.
  public init(
    afterIdle: Duration? = nil, whenSuspended: Bool = false, signals: Set<Int32> = []
  ) {
    self.afterIdle = afterIdle
    self.whenSuspended = whenSuspended
    self.signals = signals
  }

  /// All signals that lock the vault.
  var allSignals: Set<Int32> { whenSuspended ? signals.union([SIGTSTP]) : signals }
}
