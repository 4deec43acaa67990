/// A list whose elements are removed in the order of their addition, each in constant time.
struct FIFO<Element: Sendable>: Sendable {
  private var added: [Element] = []
  /// The elements added before those in `added`, the oldest last.
  private var newestFirst: [Element] = []

  var isEmpty: Bool { added.isEmpty && newestFirst.isEmpty }

  mutating func append(_ element: Element) { added.append(element) }

  mutating func removeFirst() -> Element? {
    if newestFirst.isEmpty {
      newestFirst = added.reversed()
      added.removeAll()
    }
    return newestFirst.popLast()
  }

  mutating func remove(where isRemoved: (Element) -> Bool) -> Element? {
    if let index = newestFirst.firstIndex(where: isRemoved) { return newestFirst.remove(at: index) }
    return added.firstIndex(where: isRemoved).map { added.remove(at: $0) }
  }
}
