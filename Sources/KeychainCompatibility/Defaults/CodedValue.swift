import FoundationEssentials

/// A value of a setting, or the property list that a ``DefaultsStore`` of 1.x made of it.
///
/// Property lists have a container at their top. So 1.x made `Data` of a structure or an array, and
/// gave `UserDefaults` a number or a text as it was.
enum CodedValue<Value: Codable & Sendable>: Codable, Sendable {
  case native(Value)
  case coded(Data)

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    do {
      self = .native(try container.decode(Value.self))
    } catch let mismatch {
      do {
        self = .coded(try container.decode(Data.self))
      } catch {
        throw mismatch
      }
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .native(let value): try container.encode(value)
    case .coded(let data): try container.encode(data)
    }
  }
}
