import Dispatch
import SerializedAccess
import Testing

struct DescriptionTests {
  private struct Holder { @Serialized var number = 5 }

  @Test func descriptionShowsTheValue() {
    #expect(Serialized(5).description == "Serialized(5)")
    #expect("\(Serialized("a"))" == "Serialized(a)")
    #expect(Serialized(Int?.none).description == "Serialized(nil)")
    #expect(Serialized(1, customQueue: DispatchQueue(label: "x")).description == "Serialized(1)")
    var text = ""
    dump(Holder(), to: &text)
    #expect(text.contains("value: 5"))
  }

  @Test(arguments: ConcurrencyTests.Queue.allCases)
  func descriptionIsSafeInsideAnAccess(queue: ConcurrencyTests.Queue) {
    let number = queue.wrap(5)
    let observed = Serialized("")
    let observation = number.observe { _, _ in observed.wrappedValue = number.description }
    number.access { value in
      value = 6
      #expect(number.description == "Serialized(in use)")
      #expect(String(reflecting: number) == "Serialized(in use)")
      var text = ""
      dump(number, to: &text)
      #expect(text.contains("in use"))
    }
    #expect(observed.wrappedValue == "Serialized(in use)")
    #expect(number.description == "Serialized(6)")
    observation.cancel()
  }

  @Test func descriptionDoesNotWait() {
    let number = Serialized(5)
    whileAccessing(number) { #expect(number.description == "Serialized(in use)") }
  }

  @Test func valueThatDescribesItsWrapperIsDescribed() {
    final class Loop: CustomStringConvertible, Sendable {
      let owner = Serialized<Serialized<Loop>?>(nil)
      var description: String { owner.wrappedValue?.wrappedValue === self ? "loop" : "alone" }
    }
    let wrapper = Serialized(Loop())
    wrapper.wrappedValue.owner.wrappedValue = wrapper
    #expect(wrapper.description == "Serialized(loop)")
    wrapper.wrappedValue.owner.wrappedValue = nil
  }
}
