/**
 * Child processes: querying one, running one to completion, and running servers in the foreground. They end with this process:
 * SIGTERM, SIGINT and SIGHUP are passed on, and when the parent of this process disappears (npm exits without signalling its
 * script) they are terminated too.
 */
import { spawn, spawnSync } from 'node:child_process'
import { constants } from 'node:os'
import { root } from './project.mjs'

const running = new Set()
let ending = false
let tied = false

/** The trimmed output of a program; undefined when it cannot be run, fails or hangs. */
export function answer(command, args) {
  const { status, stdout } = spawnSync(command, args, { encoding: 'utf8', timeout: 10_000, stdio: ['ignore', 'pipe', 'ignore'] })
  return status === 0 ? stdout.trim() : undefined
}

/**
 * Runs a program to completion and resolves with its exit code and its output. With `show` the output also goes to standard output
 * as it arrives. After `limitMs` the program is killed, which counts as a failure.
 */
export function run(command, args, { env = {}, show = false, cwd = root, limitMs = 600_000 } = {}) {
  return new Promise((resolve) => {
    let output = ''
    const child = start(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        output += text
        if (show) process.stdout.write(text)
      })
    }
    const limit = setTimeout(() => child.kill('SIGKILL'), limitMs)
    child.once('error', (error) => resolve({ code: 127, output: `${output}${error.message}\n` }))
    child.once('close', (code, signal) => {
      clearTimeout(limit)
      if (ending) process.exit(codeOf(code, signal))
      resolve({ code: codeOf(code, signal), output })
    })
  })
}

/**
 * Runs programs in the foreground, in `cwd` or else in the project's root. When the first one exits, the others are terminated, and
 * this process exits with its code.
 */
export function serve(commands) {
  let first
  for (const { command, args, env, cwd = root } of commands) {
    const child = start(command, args, { cwd, env, stdio: 'inherit' })
    child.once('exit', (code, signal) => {
      first ??= codeOf(code, signal)
      if (running.size === 0) process.exit(first)
      endAll()
    })
  }
}

function start(command, args, { env, ...options }) {
  tieToParent()
  const child = spawn(command, args, { ...options, env: { ...process.env, ...env } })
  running.add(child)
  child.once('error', () => running.delete(child))
  child.once('exit', () => running.delete(child))
  return child
}

/** The exit code as a shell reports it: 128 + n after signal n. */
const codeOf = (code, signal) => code ?? 128 + (constants.signals[signal] ?? 0)

function endAll() {
  for (const child of running) child.kill('SIGTERM')
}

function onSignal(signal) {
  ending = true
  // In a terminal, Ctrl-C reaches the children directly; a second signal would make the server stop immediately.
  if (signal !== 'SIGINT' || !process.stdin.isTTY) endAll()
  if (running.size === 0) process.exit(codeOf(null, signal))
}

function tieToParent() {
  if (tied) return
  tied = true
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => onSignal(signal))
  const parent = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(watch)
    onSignal('SIGTERM')
  }, 250)
  watch.unref()
}
