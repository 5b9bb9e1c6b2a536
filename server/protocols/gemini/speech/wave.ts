/** Samples of 16 bits, one channel, bare or in a WAV file. */

/** Samples, and how many make a second. */
export interface Samples {
  samples: Uint8Array
  rate: number
}

const usualRate = 24_000
const headBytes = 44

/** The samples in audio of this type; anything but a WAV file is raw samples. */
export function samplesIn(mimeType: string, sound: Uint8Array): Samples {
  const view = new DataView(sound.buffer, sound.byteOffset, sound.byteLength)
  const isWave = sound.length >= headBytes && view.getUint32(0) === 0x52494646 && view.getUint32(8) === 0x57415645
  const named = Number(/rate=(\d{4,6})/.exec(mimeType)?.[1] ?? usualRate)
  if (!isWave) return { samples: sound, rate: named }
  for (let at = 12; at + 8 <= sound.length; ) {
    const size = view.getUint32(at + 4, true)
    // The chunk `data`. Writers that do not know its length set all bits.
    if (view.getUint32(at) === 0x64617461) {
      return { samples: sound.subarray(at + 8, Math.min(sound.length, at + 8 + size)), rate: view.getUint32(24, true) || named }
    }
    at += 8 + size + (size % 2)
  }
  return { samples: sound.subarray(headBytes), rate: view.getUint32(24, true) || named }
}

/** A WAV file of these samples. */
export function waveOf(samples: Uint8Array, rate: number): Uint8Array {
  const head = Buffer.alloc(headBytes)
  head.write('RIFF', 0)
  head.writeUInt32LE(headBytes - 8 + samples.length, 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(rate, 24)
  head.writeUInt32LE(rate * 2, 28)
  head.writeUInt16LE(2, 32)
  head.writeUInt16LE(16, 34)
  head.write('data', 36)
  head.writeUInt32LE(samples.length, 40)
  return Buffer.concat([head, samples])
}
