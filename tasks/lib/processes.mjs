/**
 * Other programs: asking them one thing, running them to their end, and standing in for ones that serve. Their end is tied
 * to ours: SIGTERM, SIGINT and SIGHUP are handed on, and when the process that started this one disappears (npm dies
 * without telling its script) they are ended too.
 */
import { spawn, spawnSync } from 'node:child_process'
import { constants } from 'node:os'
import { root } from './project.mjs'

const running = new Set()
let ending = false
let tied = false

/** What a program prints when asked, trimmed, or undefined when it cannot be run, fails or hangs. */
export function answer(command, args) {
  const { status, stdout } = spawnSync(command, args, { encoding: 'utf8', timeout: 10_000, stdio: ['ignore', 'pipe', 'ignore'] })
  return status === 0 ? stdout.trim() : undefined
}

/**
 * Runs a program in the project's folder to its end and resolves with its exit code and everything it printed. With
 * `show` its output also goes to standard output as it comes. After `limitMs` it is killed, which is a failure.
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

/** Runs programs with this process's own streams. When the first ends so do the others, and then we, with its exit code. */
export function serve(commands) {
  let first
  for (const { command, args, env } of commands) {
    const child = start(command, args, { cwd: root, env, stdio: 'inherit' })
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

/** As a shell reports it: 128 + n after signal n. */
const codeOf = (code, signal) => code ?? 128 + (constants.signals[signal] ?? 0)

function endAll() {
  for (const child of running) child.kill('SIGTERM')
}

function heard(signal) {
  ending = true
  // From a terminal, Ctrl-C reaches the children by itself; a second signal would mean "at once" to the server.
  if (signal !== 'SIGINT' || !process.stdin.isTTY) endAll()
  if (running.size === 0) process.exit(codeOf(null, signal))
}

function tieToParent() {
  if (tied) return
  tied = true
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => heard(signal))
  const parent = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(watch)
    heard('SIGTERM')
  }, 250)
  watch.unref()
}
