/// The items of a vault, found by name, by identity, and by what most searches are for.
struct VaultIndex: Sendable {
  private var slots: [VaultItem?] = []
  private var free: [Int] = []
  private var byID: [SecretItem.ID: Int] = [:]
  /// Slots by a hash of class, service or server, and account; and of the first two alone. Hashes
  /// may collide, which the search sorts out, and the chains cost one number an item.
  private var byAccount = Chains()
  private var byService = Chains()
  private(set) var newestCreation = Int64.min
  /// How many bytes the items would take in a log that holds nothing else.
  private(set) var byteCount = 0

  var count: Int { byID.count }
  var items: some Sequence<VaultItem> { slots.lazy.compactMap { $0 } }

  subscript(id: SecretItem.ID) -> VaultItem? {
    byID[id].flatMap { slots[$0] }
  }

  mutating func reserveCapacity(_ count: Int) {
    slots.reserveCapacity(count)
    byID.reserveCapacity(count)
  }

  mutating func put(_ entry: VaultItem) {
    newestCreation = max(newestCreation, entry.item.creationDate.microseconds)
    if let slot = byID[entry.item.id] {
      // An item keeps its identity for life.
      byteCount += entry.byteCount - (slots[slot]?.byteCount ?? 0)
      slots[slot] = entry
      return
    }
    let slot = free.popLast() ?? slots.count
    if slot == slots.count { slots.append(entry) } else { slots[slot] = entry }
    byID[entry.item.id] = slot
    byteCount += entry.byteCount
    byAccount.add(slot, under: Self.accountHash(entry.item.identity))
    byService.add(slot, under: Self.serviceHash(entry.item.identity))
  }

  mutating func remove(_ id: SecretItem.ID) {
    guard let slot = byID.removeValue(forKey: id), let entry = slots[slot] else { return }
    byAccount.remove(slot, under: Self.accountHash(entry.item.identity))
    byService.remove(slot, under: Self.serviceHash(entry.item.identity))
    byteCount -= entry.byteCount
    slots[slot] = nil
    free.append(slot)
  }

  /// The items that a query means, the oldest first.
  func items(matching query: ItemQuery) -> [SecretItem] {
    let candidates: [SecretItem] =
      switch query {
      case .all: items.map(\.item)
      case .exactly(let identity): items(byAccount, under: Self.accountHash(identity))
      case .matching(let pattern) where pattern.service ?? pattern.server == nil:
        items.map(\.item)
      case .matching(let pattern) where pattern.account == nil:
        items(byService, under: Self.serviceHash(pattern))
      case .matching(let pattern): items(byAccount, under: Self.accountHash(pattern))
      }
    var found = candidates.filter { query.includes($0.identity) }
    if found.count > 1 { found.sort(by: SecretItem.isOlder) }
    return found
  }

  private func items(_ chains: Chains, under hash: Int) -> [SecretItem] {
    chains[hash].compactMap { slots[$0]?.item }
  }

  private static func serviceHash(_ identity: ItemIdentity) -> Int {
    var hasher = Hasher()
    hasher.combine(identity.itemClass == .generic)
    hasher.combine(identity.service ?? identity.server)
    return hasher.finalize()
  }

  private static func accountHash(_ identity: ItemIdentity) -> Int {
    var hasher = Hasher()
    hasher.combine(identity.itemClass == .generic)
    hasher.combine(identity.service ?? identity.server)
    hasher.combine(identity.account)
    return hasher.finalize()
  }

  /// Lists of slots, each threaded through one array, so that a list of one costs no allocation.
  private struct Chains: Sendable {
    private var heads: [Int: Int] = [:]
    private var links: [(previous: Int, next: Int)] = []
    private static let end = -1

    subscript(hash: Int) -> [Int] {
      Array(sequence(state: heads[hash] ?? Self.end) { slot in
        guard slot != Self.end else { return nil }
        defer { slot = links[slot].next }
        return slot
      })
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
