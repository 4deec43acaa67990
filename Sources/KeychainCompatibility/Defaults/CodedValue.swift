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
    // In JSON data is a text, and of each text a URL can be made.
    if Value.self == URL.self, let data = Self.propertyList(in: container) {
      self = .coded(data)
      return
    }
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

  /// The `Data` that there is, if it begins as a property list does.
  private static func propertyList(in container: any SingleValueDecodingContainer) -> Data? {
    do {
      let data = try container.decode(Data.self)
      return data.starts(with: "bplist".utf8) ? data : nil
    } catch {
      return nil
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
