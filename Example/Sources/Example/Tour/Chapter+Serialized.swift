import Dispatch
import SerializedAccess

extension Chapter {
  static let serialized = Chapter(title: "@Serialized: one value, many threads") { stage in
    @Serialized var visitors = 0
    try stage.show("@Serialized var visitors = 0")
    let shared = $visitors
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for _ in 0..<12_500 { shared.wrappedValue += 1 }
    }
    try stage.show("visitors += 1   // 100,000 times, from 8 threads at once", visitors)

    let heard = Serialized<[String]>([])
    let observation = $visitors.observe { old, new in
      heard.wrappedValue.append("\(old) became \(new)")
    }
    visitors = 7
    $visitors.access { visitors in visitors *= 6 }
    withExtendedLifetime(observation) {}
    try stage.show(
      "$visitors.observe { old, new in … }; visitors = 7; visitors *= 6", heard.wrappedValue)
  }
}
