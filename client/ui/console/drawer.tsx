/** The details beside a table: next to it if there is room, over it in narrower windows, in its place on phones. */
import { createEffect, type JSX, on, onCleanup, onMount } from 'solid-js'
import { announce } from '#client/ui/announcer.tsx'
import { IconButton } from '#client/ui/button.tsx'
import { tc } from './messages.ts'

interface DrawerProps {
  title: JSX.Element
  /** The name of the drawer for screen readers. */
  label: string
  narrow?: boolean
  tools?: JSX.Element
  foot?: JSX.Element
  onClose(): void
  onPrevious?: (() => void) | undefined
  onNext?: (() => void) | undefined
  children: JSX.Element
}

/** A drawer. Arrow keys move between rows and announce the open one; Escape closes. The focus moves in, and back to the last open row. */
export function Drawer(props: DrawerProps) {
  let drawer: HTMLElement | undefined
  const opener = document.activeElement
  /** The open row, which may not be the one that opened the drawer. */
  let row: string | undefined
  const close = () => {
    row = document.querySelector<HTMLElement>('tr[aria-selected="true"]')?.dataset.row
    props.onClose()
  }
  const press = (event: KeyboardEvent) => {
    const target = event.target
    const inField = target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)
    if (event.defaultPrevented || document.querySelector('[role=dialog]:not([data-closed]), [role=menu]')) return
    if (event.key === 'Escape') close()
    else if (inField || event.ctrlKey || event.metaKey || event.altKey) return
    else if (event.key === 'ArrowDown' && props.onNext) props.onNext()
    else if (event.key === 'ArrowUp' && props.onPrevious) props.onPrevious()
    else return
    event.preventDefault()
  }
  onMount(() => drawer?.querySelector<HTMLElement>('h2')?.focus({ preventScroll: true }))
  createEffect(on(() => props.label, announce, { defer: true }))
  addEventListener('keydown', press)
  onCleanup(() => {
    removeEventListener('keydown', press)
    if (!drawer?.contains(document.activeElement)) return
    // The table now has room for more columns, and renders its rows again first.
    queueMicrotask(() => {
      const own = row === undefined ? null : document.querySelector<HTMLElement>(`tr[data-row="${CSS.escape(row)}"] a`)
      const before = opener instanceof HTMLElement && opener !== document.body && opener.isConnected ? opener : null
      const next = own ?? before ?? document.getElementById('content')
      next?.focus()
    })
  })
  return (
    <aside class="drawer no-tabbar" classList={{ narrow: props.narrow ?? false }} aria-label={props.label} ref={drawer}>
      <header>
        <span class="phone-only">
          <IconButton name="left" label={tc('back')} onClick={close} />
        </span>
        <h2 tabindex="-1">{props.title}</h2>
        <span class="flex-1" />
        {props.tools}
        {props.onPrevious && <IconButton name="up" label={tc('previous')} onClick={() => props.onPrevious?.()} />}
        {props.onNext && <IconButton name="down" label={tc('next')} onClick={() => props.onNext?.()} />}
        <span class="desk-only">
          <IconButton name="x" label={tc('close')} onClick={close} />
        </span>
      </header>
      <div class="drawer-body">{props.children}</div>
      {props.foot && <div class="drawer-foot">{props.foot}</div>}
    </aside>
  )
}

/** A part of a drawer. */
export function DrawerPart(props: { title?: string; note?: string; children: JSX.Element }) {
  return (
    <section class="drawer-part">
      {props.title && (
        <h3>
          {props.title} {props.note && <small>{props.note}</small>}
        </h3>
      )}
      {props.children}
    </section>
  )
}
