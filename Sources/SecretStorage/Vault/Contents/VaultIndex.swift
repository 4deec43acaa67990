/// The items of a vault, indexed by ID, account and service.
struct VaultIndex: Sendable {
  private var slots: [VaultItem?] = []
  private var free: [Int] = []
  private var byID: [SecretItem.ID: Int] = [:]
  // Slots by a hash of the identity with or without the account, built in the second search: that
  // takes longer than one search of all items.
  private var byAccount: Chains?
  private var byService: Chains?
  private var wasSearched = false
  /// The latest creation date, in microseconds since 1970.
  private(set) var newestCreation = Int64.min
  /// The size of the items in a log without other content, in bytes.
  private(set) var byteCount = 0

  var count: Int { byID.count }
  var items: some Sequence<VaultItem> { slots.lazy.compactMap { $0 } }

  subscript(id: SecretItem.ID) -> VaultItem? {
    if let slot = byID[id] { slots[slot] } else { nil }
  }

  mutating func reserveCapacity(for entries: [LogChanges.Entry]) {
    let bytes = entries.reduce(0) { sum, entry in
      if case .record(let record) = entry { sum + record.payload.count } else { sum }
    }
    let count = bytes / (100 + paddedSize(for: 0))
    slots.reserveCapacity(count)
    byID.reserveCapacity(count)
  }

  mutating func put(_ item: VaultItem) {
    newestCreation = max(newestCreation, item.created)
    let id = item.id
    if let slot = byID[id], let old = slots[slot] {
      if old.hasSameIdentity(as: item) {
        byteCount += item.byteCount - old.byteCount
        slots[slot] = item
        return
      }
      // The indexes refer to the old identity.
      remove(id)
    }
    let slot = free.popLast() ?? slots.count
    if slot == slots.count { slots.append(item) } else { slots[slot] = item }
    byID[id] = slot
    byteCount += item.byteCount
    byAccount?.add(slot, under: Self.hash(item.identity, withAccount: true))
    byService?.add(slot, under: Self.hash(item.identity, withAccount: false))
  }

  /// Returns a random identifier; throws if an item has it, as after a machine was cloned.
  func newID() throws(SecretStoreError) -> SecretItem.ID {
    let id = try SecretItem.ID.random()
    guard self[id] == nil else { throw .unavailable("Random numbers repeat. Try again.") }
    return id
  }

  /// Adds the items of an earlier index that this one has neither by identifier nor by identity.
  mutating func keep(_ earlier: VaultIndex) {
    for item in earlier.items
    where self[item.id] == nil && items(matching: .exactly(item.identity)).isEmpty {
      put(item)
    }
  }

  mutating func remove(_ id: SecretItem.ID) {
    guard let slot = byID.removeValue(forKey: id), let item = slots[slot] else { return }
    byAccount?.remove(slot, under: Self.hash(item.identity, withAccount: true))
    byService?.remove(slot, under: Self.hash(item.identity, withAccount: false))
    byteCount -= item.byteCount
    slots[slot] = nil
    free.append(slot)
  }

  mutating func removeItems(_ accessibility: Accessibility) {
    for item in Array(items) where item.secret.accessibility == accessibility { remove(item.id) }
  }

  mutating func items(matching query: ItemQuery) -> [SecretItem] {
    var found =
      switch query {
      case .matching(let pattern) where pattern.service ?? pattern.server == nil: search(query)
      case .matching(let pattern) where pattern.account == nil:
        search(query, like: pattern, withAccount: false)
      case .matching(let identity), .exactly(let identity):
        search(query, like: identity, withAccount: true)
      case .all: search(query)
      }
    if found.count > 1 { found.sort(by: SecretItem.isOlder) }
    return found
  }

  private func search(_ query: ItemQuery) -> [SecretItem] {
    let account = query.asciiAccount
    var found: [SecretItem] = []
    for case let item? in slots {
      // Decoding an identity takes ten times as long.
      if let account, item.definitelyHasOtherAccount(than: account) { continue }
      if query.includes(item.identity) { found.append(item.decoded) }
    }
    return found
  }

  /// Searches only the items that have the same hash as an identity.
  private mutating func search(
    _ query: ItemQuery, like identity: ItemIdentity, withAccount: Bool
  ) -> [SecretItem] {
    if !wasSearched {
      wasSearched = true
      return search(query)
    }
    let chains: WritableKeyPath<VaultIndex, Chains?> = withAccount ? \.byAccount : \.byService
    if self[keyPath: chains] == nil {
      var newChains = Chains()
      for case (let slot, let item?) in slots.enumerated() {
        newChains.add(slot, under: Self.hash(item.identity, withAccount: withAccount))
      }
      self[keyPath: chains] = newChains
    }
    var found: [SecretItem] = []
    let hash = Self.hash(identity, withAccount: withAccount)
    self[keyPath: chains]?.forEachSlot(under: hash) { slot in
      guard let item = slots[slot], query.includes(item.identity) else { return }
      found.append(item.decoded)
    }
    return found
  }

  private static func hash(_ identity: ItemIdentity, withAccount: Bool) -> Int {
    var hasher = Hasher()
    hasher.combine(identity.itemClass == .generic)
    hasher.combine(identity.service ?? identity.server)
    if withAccount { hasher.combine(identity.account) }
    return hasher.finalize()
  }

  /// Linked lists of slots in one shared array, so that a list of one slot costs no allocation.
  private struct Chains: Sendable {
    private var heads: [Int: Int] = [:]
    private var links: [(previous: Int, next: Int)] = []
    private static let end = -1

    func forEachSlot(under hash: Int, _ body: (Int) -> Void) {
      var slot = heads[hash] ?? Self.end
      while slot != Self.end {
        body(slot)
        slot = links[slot].next
      }
    }

    mutating func add(_ slot: Int, under hash: Int) {
      while links.count <= slot { links.append((Self.end, Self.end)) }
      let next = heads.updateValue(slot, forKey: hash) ?? Self.end
      links[slot] = (Self.end, next)
      if next != Self.end { links[next].previous = slot }
    }

    mutating func remove(_ slot: Int, under hash: Int) {
      let (previous, next) = links[slot]
      if next != Self.end { links[next].previous = previous }
      if previous != Self.end {
        links[previous].next = next
      } else {
        heads[hash] = next == Self.end ? nil : next
      }
    }
  }
}

extension ItemQuery {
  /// The bytes of the requested account if it is ASCII, so that comparing bytes suffices.
  fileprivate var asciiAccount: [UInt8]? {
    switch self {
    case .all: nil
    case .matching(let identity), .exactly(let identity):
      identity.account.map { Array($0.utf8) }.flatMap { $0.allSatisfy { $0 < 128 } ? $0 : nil }
    }
  }
}
