import TestSupport
import Testing

@testable import SecretStorage

struct Forgery {
  /// A description of the changes and of the changed vault.
  let name: String
  let form: Corpus.Form
  let isRemembered: Bool
  let bytes: [UInt8]
  /// Whether the file claims to be the sound vault; any contents are right for another vault.
  let isOfThisVault: Bool

  init(_ name: String, of corpus: Corpus, isRemembered: Bool = true, _ file: ForgedFile) {
    form = corpus.form
    // A reader never knows an export beforehand.
    self.isRemembered = isRemembered && !corpus.state.isEmpty
    self.name = "\(name) (\(form), \(self.isRemembered ? "" : "not ")remembered)"
    bytes = file.encoded
    isOfThisVault = form != .own && file.identifiers.isSubset(of: corpus.file.identifiers)
  }

  /// Makes the forgery of a seed from one of the sound vaults, with reproducible structure.
  init(seed: UInt64, of corpora: [Corpus.Form: Corpus]) throws {
    var generator = SeededGenerator(seed: seed)
    // Forms with more ways to open them are chosen more often.
    let forms: [Corpus.Form] = [
      .device, .device, .device, .passphrase, .passphrase, .passphrase, .export, .own, .own,
    ]
    let form = generator.one(of: forms)
    let mutations = (0..<Int.random(in: 1...3, using: &generator)).map { _ in
      generator.one(of: Mutation.allCases.filter { form == .own || !$0.isOfSealed })
    }
    let isRemembered = Bool.random(using: &generator)
    let corpus = try #require(corpora[form])
    var forger = Forger(corpus, generator)
    self.init(
      "seed \(seed): \(mutations.map(\.rawValue).joined(separator: " "))", of: corpus,
      isRemembered: isRemembered, try forger.forge(by: mutations))
  }
}

struct Forger {
  private let corpus: Corpus
  private var generator: SeededGenerator

  init(_ corpus: Corpus, _ generator: SeededGenerator) {
    self.corpus = corpus
    self.generator = generator
  }

  mutating func forge(by mutations: [Mutation]) throws -> ForgedFile {
    let sealed = mutations.filter(\.isOfSealed)
    var file = sealed.isEmpty ? corpus.file : try OwnVault(changing: sealedChange(sealed)).file()
    var forged: (forgery: TableForgery, count: Int)?
    for mutation in mutations {
      if mutation == .forgedTable {
        forged = (TableForgery(using: &generator), Int.random(in: 1...2, using: &generator))
      } else {
        try apply(mutation, to: &file)
      }
    }
    if sealed.count < mutations.count {
      var repairs = ForgedFile.Repairs.all
      if Int.random(in: 0..<3, using: &generator) == 0 {
        repairs = ForgedFile.Repairs(rawValue: Int.random(in: 0...7, using: &generator))
      }
      file.makeRight(repairs)
    }
    // Last, because the tag covers everything before it.
    if let (forgery, count) = forged {
      for _ in 0..<count { try file.append(forgery, from: corpus.newestTable) }
    }
    return file
  }

  /// Returns a function that changes about half of the sealable parts.
  private func sealedChange(_ mutations: [Mutation]) -> (inout [Field]) -> Void {
    var generator = generator
    return { fields in
      for mutation in mutations where Bool.random(using: &generator) {
        fields.changeOne(using: &generator, where: mutation.fits, mutation.change)
      }
    }
  }

  private mutating func apply(_ mutation: Mutation, to file: inout ForgedFile) throws {
    if file.pieces.isEmpty { return }
    let place = Int.random(in: 0...file.pieces.count, using: &generator)
    switch mutation {
    case .header: file.header.changeOne(using: &generator, where: { _ in true }, mutation.change)
    case .frame: file.insertBrokenFrame(at: place, using: &generator)
    case .junk:
      let bytes = (0..<Int.random(in: 1...99, using: &generator)).map { _ in
        generator.one(of: ForgedFile.magic + [0, 0xFF])
      }
      file.pieces.insert(.bytes(bytes), at: place)
    case .zeros: file.insertZeros(at: place, using: &generator)
    case .nestedFrames:
      let count = Int.random(in: 0..<32, using: &generator) == 0 ? 4000 : 40
      file.pieces.insert(.bytes(ForgedFile.nestedFrames(count: count)), at: place)
    case .cut: file.pieces.removeLast(Int.random(in: file.pieces.indices, using: &generator))
    case .drop: file.pieces.remove(at: Int.random(in: file.pieces.indices, using: &generator))
    case .duplicate: file.pieces.insert(generator.one(of: file.pieces), at: place)
    case .reorder:
      let other = Int.random(in: file.pieces.indices, using: &generator)
      file.pieces.swapAt(min(place, file.pieces.count - 1), other)
    case .splicedVault: splice(corpus.other, into: &file, at: place)
    case .splicedBranch: splice(corpus.branch, into: &file, at: place)
    case .splicedOlder: splice(corpus.older, into: &file, at: place)
    case .otherVault: file = ForgedFile(corpus.other)
    case .otherBranch: file = ForgedFile(corpus.branch)
    case .olderFile: file = ForgedFile(corpus.older)
    case .manySlots:
      try file.addSlots(
        generator.one(of: [2, 60, 300]), cost: generator.one(of: [14, 20]), to: place)
    default:
      let index = Int.random(in: file.pieces.indices, using: &generator)
      guard case .record(var fields) = file.pieces[index] else { return }
      fields.changeOne(using: &generator, where: mutation.fits, mutation.change)
      file.pieces[index] = .record(fields)
    }
  }

  /// Inserts consecutive records of another file, or replaces as many with them.
  private mutating func splice(_ other: [UInt8], into file: inout ForgedFile, at place: Int) {
    let pieces = ForgedFile(other).pieces
    let start = Int.random(in: pieces.indices, using: &generator)
    let end = Int.random(in: start..<pieces.count, using: &generator)
    let isInserted = Bool.random(using: &generator)
    let replaced = isInserted ? 0 : min(end - start + 1, file.pieces.count - place)
    file.pieces.replaceSubrange(place..<(place + replaced), with: pieces[start...end])
  }
}
