/** Request bodies that report when the connection takes them. */

interface DirectSource {
  type: 'direct'
  pull(controller: { write(bytes: Uint8Array): void; close(): void }): void
}

/** A text as a stream. `taken` is called when it is asked for, which `fetch` does once the connection is up and the head is written. */
export function sentText(text: string, taken: () => void): ReadableStream<Uint8Array> {
  const source: DirectSource = {
    // Bun's own kind of stream: the cheapest for a single piece, and the one after which connections are reused most often.
    type: 'direct',
    pull(controller) {
      taken()
      controller.write(Buffer.from(text))
      controller.close()
    },
  }
  return new ReadableStream(source as unknown as UnderlyingDefaultSource<Uint8Array>)
}

/** The same stream; `taken` is called with every piece that is asked for. */
export function noticing(stream: ReadableStream<Uint8Array>, taken: () => void): ReadableStream<Uint8Array> {
  const reader = stream.getReader()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        taken()
        const { done, value } = await reader.read()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}
