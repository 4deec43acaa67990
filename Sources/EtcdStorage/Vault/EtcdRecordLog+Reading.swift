package import SecretStorage

/// The value of a batch whose records are in pieces.
struct PieceReference: Codable, Sendable {
  var nonce: String
  /// The number of pieces, and of their bytes.
  var pieces: Int
  var bytes: Int
  /// The offset of the last record.
  var last: Int

  /// The size of all pieces but the last, in bytes: a request may have 1.5 MiB.
  static let pieceSize = 1 << 20
  /// The maximum number of pieces, which one transaction makes permanent.
  static let limit = Transaction.operationLimit - 10

  /// Whether the numbers fit together; a hostile server may have made them up.
  var isConsistent: Bool {
    (1...Self.limit).contains(pieces) && bytes > (pieces - 1) * Self.pieceSize
      && bytes <= pieces * Self.pieceSize && (0..<bytes).contains(last) && nonce.utf8.count == 16
  }
}

extension EtcdRecordLog {
  /// The position at the end of a version of the log.
  func position(_ known: SharedLog.Known) -> LogPosition {
    guard let head = known.existing else { return .nowhere }
    return position(known, head, next: head.last &+ 1)
  }

  private func position(
    _ known: SharedLog.Known, _ head: SharedLog.Head, next: UInt64
  ) -> LogPosition {
    LogPosition(words: [
      head.generation, next, UInt64(bitPattern: known.modRevision),
      UInt64(bitPattern: known.createRevision), 1, 0, 0, 0,
    ])
  }

  package func changes(
    since position: LogPosition?,
    isContinued: (LogRecord) throws(SecretStoreError) -> Bool
  ) throws(SecretStoreError) -> LogChanges {
    // The log may be replaced while it is read.
    for _ in 0..<20 {
      let known = try mapErrors { () throws(EtcdError) in
        try position == nil ? shared.look() : shared.head()
      }
      if let changes = try changes(since: position, known, isContinued) { return changes }
      shared.invalidate()
    }
    throw .unavailable("\(name) is replaced faster than it can be read. Try again later.")
  }

  /// Returns nil if the log was replaced in the meantime.
  private func changes(
    since position: LogPosition?, _ known: SharedLog.Known,
    _ isContinued: (LogRecord) throws(SecretStoreError) -> Bool
  ) throws(SecretStoreError) -> LogChanges? {
    let end = self.position(known)
    if let position, position == end { return LogChanges(isReset: false, position: position) }
    guard let head = known.existing else {
      return LogChanges(isReset: position != .nowhere, position: .nowhere)
    }
    let words = position?.words
    let isOfThisVault = words.map { $0[3] == end.words[3] && $0[2] <= end.words[2] } ?? false
    var isReset = true
    var start: UInt64 = 0
    var continuation: LogRecord?
    if let words, isOfThisVault {
      if words[0] == head.generation {
        isReset = false
        start = words[1]
      } else if words[0] < head.generation, let last = try lastOfReplacement(known, head),
        try isContinued(last)
      {
        isReset = false
        start = 1
        continuation = last
      }
    }
    var changes = LogChanges(isReset: isReset, position: end)
    changes.continuation = continuation
    guard let batches = try mapErrors({ () throws(EtcdError) in try batches(head, from: start) })
    else { return nil }
    for (number, value) in batches {
      let before = self.position(known, head, next: number)
      changes.entries += try entries(value, head, number, after: before)
    }
    if head.last >= start, batches.last?.number != head.last {
      changes.entries.append(
        .damaged("batch \(head.last) of \(name), which is missing,", after: end))
    }
    return changes
  }

  /// Reads batches from a number to the last one; returns nil if the log was replaced.
  private func batches(
    _ head: SharedLog.Head, from start: UInt64
  ) throws(EtcdError) -> [(number: UInt64, value: [UInt8])]? {
    var found: [(number: UInt64, value: [UInt8])] = []
    if start > head.last { return [] }
    var size = 0
    var next = shared.keys.batch(head.generation, start)
    let end = shared.keys.batches(head.generation).endOfPrefix
    var revision: Int64?
    pages: while true {
      let request = RangeRequest(
        key: next, range_end: end, limit: Int64Text(Self.pageSize),
        revision: revision.map { Int64Text($0) })
      let answer: RangeAnswer
      do throws(EtcdError) {
        answer = try cluster.read(request, limit: CallPolicy.largeAnswer)
      } catch {
        if case .compacted = error { return nil }
        throw error
      }
      revision = revision ?? answer.revision
      for batch in answer.all {
        // A hostile server could answer for ever.
        guard let number = shared.keys.number(ofBatch: batch.key, head.generation),
          number >= start, found.isEmpty || number > found[found.count - 1].number
        else { throw .malformed("\(name) has a key that is none of a vault") }
        if number > head.last { break pages }
        size += batch.bytes.count + 64
        guard size <= Self.sizeLimit else { throw .malformed("\(name) is too large") }
        found.append((number, batch.bytes))
      }
      guard answer.more == true, let last = answer.all.last?.key else { break }
      guard answer.all.count == Self.pageSize else {
        throw .malformed("\(name) is answered in parts that are too small")
      }
      next = Bytes(last.array + [0])
    }
    if found.last?.number != head.last {
      // A replacement removes the batches of the old log.
      let current = try shared.look()
      if current.head?.generation != head.generation { return nil }
    }
    return found
  }

  /// The number of batches in an answer; each has at most ``inlineLimit`` bytes.
  private static let pageSize: Int64 = 128
  /// The maximum size of a log in memory, in bytes.
  private static let sizeLimit = 1 << 30

  /// Parses a batch; its records are in its value, or in pieces.
  private func entries(
    _ value: [UInt8], _ head: SharedLog.Head, _ number: UInt64, after position: LogPosition
  ) throws(SecretStoreError) -> [LogChanges.Entry] {
    var bytes = value
    if value.first == UInt8(ascii: "{") {
      guard let whole = try pieces(value, head.generation)?.bytes else {
        return [.damaged("the pieces of batch \(number) of \(name)", after: position)]
      }
      bytes = whole
    }
    var found: [LogChanges.Entry] = []
    var search = FrameSearch(bytes[...], cipher)
    var index = 0
    while index < bytes.count {
      if let record = try search.record(at: index) {
        found.append(.record(record))
        index = record.payload.endIndex
        continue
      }
      let next = try search.nextRecord(from: index + 1)
      let end = search.isExhausted ? bytes.count : next ?? bytes.count
      let place = "bytes \(index)..<\(end) of batch \(number) of \(name)"
      found.append(.damaged(place, after: position))
      index = end
    }
    if bytes.isEmpty { found.append(.damaged("batch \(number) of \(name)", after: position)) }
    return found
  }

  /// Reads the pieces of a batch, or only those that have its last record.
  private func pieces(
    _ value: [UInt8], _ generation: UInt64, onlyLast: Bool = false
  ) throws(SecretStoreError) -> (bytes: [UInt8], offset: Int, PieceReference)? {
    let reference: PieceReference
    do throws(EtcdError) {
      reference = try EtcdCluster.decode(PieceReference.self, value[...])
    } catch {
      return nil
    }
    guard reference.isConsistent else { return nil }
    let first = onlyLast ? reference.last / PieceReference.pieceSize : 0
    var bytes: [UInt8] = []
    for number in first..<reference.pieces {
      let key = shared.keys.piece(generation, reference.nonce, number)
      let answer = try mapErrors { () throws(EtcdError) in
        try cluster.read(RangeRequest(key: key), limit: CallPolicy.largeAnswer)
      }
      guard let piece = answer.all.first?.bytes, piece.count <= PieceReference.pieceSize else {
        return nil
      }
      bytes += piece
    }
    let offset = first * PieceReference.pieceSize
    return bytes.count == reference.bytes - offset ? (bytes, offset, reference) : nil
  }

  /// Returns the last record that the replacement of the log wrote; nil if it is unknown.
  private func lastOfReplacement(
    _ known: SharedLog.Known, _ head: SharedLog.Head
  ) throws(SecretStoreError) -> LogRecord? {
    let key = shared.keys.batch(head.generation, 0)
    let answer = try mapErrors { () throws(EtcdError) in
      try cluster.read(RangeRequest(key: key), limit: CallPolicy.largeAnswer)
    }
    guard let value = answer.all.first?.bytes else { return nil }
    guard value.first == UInt8(ascii: "{") else {
      let entries = try entries(value, head, 0, after: position(known))
      if case .record(let record) = entries.last { return record }
      return nil
    }
    guard let (bytes, offset, reference) = try pieces(value, head.generation, onlyLast: true)
    else { return nil }
    var search = FrameSearch(bytes[...], cipher)
    return try search.record(at: reference.last - offset)
  }
}
