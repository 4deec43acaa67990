import FoundationEssentials

/// A typical app's struct, with a property of each kind.
struct RandomRecord: Codable, Equatable, Sendable {
  enum Color: String, Codable, CaseIterable, Sendable { case red, green, blue }
  enum Level: Int, Codable, CaseIterable, Sendable { case low = -1, high = 1 }

  struct Point: Codable, Hashable, Sendable {
    var x: Int8
    var y: UInt64?

    init(using random: inout SplitMix64) {
      x = random.integer(Int8.self)
      y = random.optional { $0.integer(UInt64.self) }
    }
  }

  var isOn: Bool
  var wasOn: Bool?
  var count: Int??
  var counts: [Int??]
  var bytes: [[UInt8?]]
  var color: Color
  var level: Level?
  var point: Point
  var points: [Point?]
  var maybe: Maybe<Int?>
  var optionalMaybe: Maybe<Int?>?
  var range: Range<Int>
  var large: UInt128
  var optionalLarge: UInt128?
  var created: Date?
  var data: Data??
  var link: URL??
  var scalar: RandomScalar
  var optionalScalar: RandomScalar???

  init(using random: inout SplitMix64) {
    isOn = .random(using: &random)
    wasOn = random.optional { .random(using: &$0) }
    count = random.optional { $0.optional { $0.integer(Int.self) } }
    counts = random.array(upTo: 3) { $0.optional { $0.optional { $0.integer(Int.self) } } }
    bytes = random.array(upTo: 3) { $0.array(upTo: 3) { $0.optional { $0.integer(UInt8.self) } } }
    color = random.one(of: Color.allCases)
    level = random.optional { $0.one(of: Level.allCases) }
    point = Point(using: &random)
    points = random.array(upTo: 3) { $0.optional { Point(using: &$0) } }
    maybe = random.maybe { $0.optional { $0.integer(Int.self) } }
    optionalMaybe = random.optional { $0.maybe { $0.optional { $0.integer(Int.self) } } }
    let bound = Int(random.integer(Int16.self))
    range = bound..<bound + Int(random.integer(UInt8.self))
    large = random.integer(UInt128.self)
    optionalLarge = random.optional { $0.integer(UInt128.self) }
    created = random.optional { $0.date() }
    data = random.optional { $0.optional { $0.data() } }
    link = random.optional { $0.optional { $0.url() } }
    scalar = RandomScalar(using: &random)
    optionalScalar = random.optional { $0.optional { $0.optional { RandomScalar(using: &$0) } } }
  }
}
