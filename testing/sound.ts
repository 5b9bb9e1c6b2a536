/** Audio files of known duration, generated from their format specifications. */

/** A RIFF file of 16-bit mono PCM: `seconds` of a quiet wave. */
export function wavFile(seconds: number, rate = 16_000): Uint8Array<ArrayBuffer> {
  const samples = Math.round(seconds * rate)
  const file = Buffer.alloc(44 + samples * 2)
  file.write('RIFF', 0, 'latin1')
  file.writeUInt32LE(36 + samples * 2, 4)
  file.write('WAVEfmt ', 8, 'latin1')
  file.writeUInt32LE(16, 16)
  file.writeUInt16LE(1, 20)
  file.writeUInt16LE(1, 22)
  file.writeUInt32LE(rate, 24)
  file.writeUInt32LE(rate * 2, 28)
  file.writeUInt16LE(2, 32)
  file.writeUInt16LE(16, 34)
  file.write('data', 36, 'latin1')
  file.writeUInt32LE(samples * 2, 40)
  for (let i = 0; i < samples; i++) file.writeInt16LE(Math.round(Math.sin(i / 20) * 2000), 44 + i * 2)
  return new Uint8Array(file)
}

/** `frames` silent frames of MPEG 1 layer III, 128 kbit/s at 44.1 kHz: 1152 samples and 417 bytes each. */
export function mp3File(frames: number): Uint8Array<ArrayBuffer> {
  const file = new Uint8Array(frames * 417)
  for (let i = 0; i < frames; i++) file.set([0xff, 0xfb, 0x90, 0x00], i * 417)
  return file
}
