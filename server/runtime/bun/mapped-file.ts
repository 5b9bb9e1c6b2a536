/** Files as memory. */

/** The file's bytes, read from the disk when they are looked at; what is written to them stays in this process. */
export const mapFile = (path: string): ArrayBuffer => Bun.mmap(path, { shared: false }).buffer as ArrayBuffer
