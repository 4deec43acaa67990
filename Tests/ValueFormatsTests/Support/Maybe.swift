/// An optional type defined by an app: a single value that may be nil.
enum Maybe<Wrapped> {
  case nothing
  case just(Wrapped)
}

extension Maybe: Equatable where Wrapped: Equatable {}
extension Maybe: Sendable where Wrapped: Sendable {}

extension Maybe: Encodable where Wrapped: Encodable {
  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .nothing: try container.encodeNil()
    case .just(let wrapped): try container.encode(wrapped)
    }
  }
}

extension Maybe: Decodable where Wrapped: Decodable {
  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    self = container.decodeNil() ? .nothing : .just(try container.decode(Wrapped.self))
  }
}
