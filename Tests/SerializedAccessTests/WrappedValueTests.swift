import SerializedAccess
import Testing

@Suite struct WrappedValueTests {
  @Serialized var number = 1
  @Serialized var words = ["a", "b"]

  @Test func constantIsChangedByItsValue() {
    let numbers = Serialized([1])
    numbers.value.append(2)
    #expect(numbers.value == [1, 2] && numbers.wrappedValue == [1, 2])
    numbers.value = []
    #expect(numbers.wrappedValue == [])
  }

  @Test func returnsAssignedValue() {
    #expect(number == 1)
    number = 2
    #expect(number == 2)
    words = ["c"]
    #expect(words == ["c"])
    $number.wrappedValue = 7
    #expect(number == 7)
    #expect($number === $number.projectedValue)
  }

  @Test func copiesOfTheStructureShareTheValue() {
    let copy = self
    copy.number = 5
    #expect(number == 5)
  }

  @Test func optionalOfOptionalKeepsItsLevels() {
    let value = Serialized<Int??>(.some(nil))
    #expect(value.wrappedValue == .some(nil))
    value.wrappedValue = nil
    #expect(value.wrappedValue == .none)
  }

  @Test func rightSideCanReadTheSameValue() {
    number += number
    #expect(number == 2)
    words += words
    words[words.count - 1] = words[0] + words[1]
    #expect(words == ["a", "b", "a", "ab"])
    words.append("\(words.count)")
    #expect(words.last == "4")
    number = number + number
    #expect(number == 4)
  }

  @Test func changeInPlaceDoesNotCopyAnArray() {
    let array = Serialized(Array(0..<100_000))
    let before = array.address
    array.wrappedValue[50_000] = -1
    array.wrappedValue[50_001] += 1
    array.access { $0[50_002] = -2 }
    array.asyncAccess { $0[50_003] = -3 }
    #expect(array.address == before)
    #expect(Array(array.wrappedValue[50_000...50_003]) == [-1, 50_002, -2, -3])
  }

  @Test func changeThatThrowsIsNotReverted() {
    struct Refused: Error {}
    func changeAndThrow(_ number: inout Int) throws {
      number = 9
      throw Refused()
    }
    #expect(throws: Refused.self) { try changeAndThrow(&number) }
    #expect(number == 9)
  }

  @Test func valueThatIsNotSendableCanBeWrapped() {
    final class Document { var title = "" }
    let document = Serialized(Document())
    document.wrappedValue.title = "Totoro"
    #expect(document.access { $0.title } == "Totoro")
  }

  @Test func replacedObjectCanAccessValueWhenReleased() {
    final class Parting: Sendable {
      let partings: Serialized<Int>
      let holder: Serialized<Parting?>
      init(partings: Serialized<Int>, holder: Serialized<Parting?>) {
        self.partings = partings
        self.holder = holder
      }
      deinit { partings.wrappedValue += holder.wrappedValue == nil ? 1 : 100 }
    }
    let partings = Serialized(0)
    let holder = Serialized<Parting?>(nil)
    holder.wrappedValue = Parting(partings: partings, holder: holder)
    holder.wrappedValue = nil
    #expect(partings.wrappedValue == 1)
  }

  /// An observation does not retain the value.
  @Test(arguments: [false, true]) func valueIsReleasedWithTheWrapper(isObserved: Bool) {
    final class Content: Sendable {}
    weak var content: Content?
    var observation: SerializedObservation?
    do {
      let wrapper = Serialized(Content())
      content = wrapper.wrappedValue
      #expect(content != nil)
      if isObserved { observation = wrapper.observe { _, _ in } }
    }
    #expect(content == nil)
    observation?.cancel()
  }
}

extension Serialized<[Int]> {
  /// The address of the elements, read in `access`, which copies no array.
  var address: Int {
    // The address is compared, never read from.
    access { unsafe $0.withUnsafeBufferPointer { Int(bitPattern: $0.baseAddress) } }
  }
}
