/** What is open on the screen (one panel, one dialog), and the preferences of this browser. Independent of conversations. */
import { type Accessor, createSignal } from 'solid-js'
import { readLocalStorage, writeLocalStorage } from '#client/ui/local-storage.ts'

/** A panel on the right. */
export type PanelName = 'parameters' | 'inspector'
/** A dialog. */
export type DialogName = 'code' | 'shortcuts' | 'templates' | 'regenerate' | 'delete-all' | 'forget' | 'import' | 'share'
/** Whether finished replies are announced to screen readers: never, or at the end. */
export type ReplyAnnouncements = 'nothing' | 'end'

/** What is open, and preferences; accessors track. */
export interface ViewState {
  panel: Accessor<PanelName | null>
  setPanel(panel: PanelName | null): void
  togglePanel(panel: PanelName): void
  /** Sets whether a panel fits beside the page: an open panel does not turn into a sheet; it is hidden until there is room again. */
  setRoomy(roomy: boolean): void
  /** Whether the user opened the panel, so that it takes the focus. A panel that is open at first does not. */
  panelOpenedByUser: Accessor<boolean>
  /** Whether the sidebar is open as a sheet, if there is no room beside the page. */
  listOpen: Accessor<boolean>
  setListOpen(open: boolean): void
  dialog: Accessor<DialogName | null>
  setDialog(dialog: DialogName | null): void
  comparing: Accessor<boolean>
  setComparing(on: boolean): void
  /** The reply that the inspector shows, or null for the newest. */
  inspected: Accessor<string | null>
  inspect(reply: string): void
  /** The reply for which the dialog "Regenerate with another model" was opened last. */
  replyToRegenerate: Accessor<string | null>
  /** Opens that dialog for a reply. */
  openRegenerateDialog(reply: string): void
  /** The conversation for which the dialog "Share" was opened last. */
  shared: Accessor<string | null>
  /** Opens that dialog for a conversation. */
  openShareDialog(conversation: string): void
  enterSends: Accessor<boolean>
  setEnterSends(on: boolean): void
  /** Whether single-key shortcuts are on. */
  letterKeys: Accessor<boolean>
  setLetterKeys(on: boolean): void
  replyAnnouncements: Accessor<ReplyAnnouncements>
  setReplyAnnouncements(spoken: ReplyAnnouncements): void
}

function storedChoice<Value extends string>(
  name: string,
  values: readonly Value[],
  first: Value,
): [Accessor<Value>, (value: Value) => void] {
  const stored = values.find((value) => value === readLocalStorage(name))
  const [read, write] = createSignal<Value>(stored ?? first)
  return [
    read,
    (value) => {
      write(() => value)
      writeLocalStorage(name, value)
    },
  ]
}

const storedFlag = (name: string, first: 'on' | 'off'): [Accessor<boolean>, (on: boolean) => void] => {
  const [read, write] = storedChoice(name, ['on', 'off'], first)
  return [() => read() === 'on', (on) => write(on ? 'on' : 'off')]
}

/** The view state at page load. `roomy` says whether a panel fits beside the page; only then is one open at first. */
export function createViewState(roomy: boolean): ViewState {
  const [storedPanel, keepPanel] = storedChoice('panel', ['parameters', 'inspector', 'none'], 'parameters')
  const [panel, setPanelSignal] = createSignal<PanelName | null>(roomy && storedPanel() !== 'none' ? (storedPanel() as PanelName) : null)
  const [listOpen, setListOpen] = createSignal(false)
  const [dialog, setDialog] = createSignal<DialogName | null>(null)
  const [comparing, setComparing] = createSignal(false)
  const [inspected, setInspected] = createSignal<string | null>(null)
  const [replyToRegenerate, setReplyToRegenerate] = createSignal<string | null>(null)
  const [shared, setShared] = createSignal<string | null>(null)
  const [enterSends, setEnterSends] = storedFlag('enter-sends', 'on')
  const [letterKeys, setLetterKeys] = storedFlag('letter-keys', 'on')
  const [replyAnnouncements, setReplyAnnouncements] = storedChoice('spoken', ['nothing', 'end'], 'end')
  const [panelOpenedByUser, setPanelOpenedByUser] = createSignal(false)
  const setPanel = (next: PanelName | null) => {
    setPanelOpenedByUser(true)
    setPanelSignal(next)
    keepPanel(next ?? 'none')
  }
  return {
    panel,
    setPanel,
    panelOpenedByUser,
    setRoomy(fits) {
      setPanelOpenedByUser(false)
      setPanelSignal(fits && storedPanel() !== 'none' ? (storedPanel() as PanelName) : null)
    },
    togglePanel: (name) => setPanel(panel() === name ? null : name),
    listOpen,
    setListOpen,
    dialog,
    setDialog,
    comparing,
    setComparing,
    inspected,
    inspect(reply) {
      setInspected(reply)
      setPanel('inspector')
    },
    replyToRegenerate,
    openRegenerateDialog(reply) {
      setReplyToRegenerate(reply)
      setDialog('regenerate')
    },
    shared,
    openShareDialog(conversation) {
      setShared(conversation)
      setDialog('share')
    },
    enterSends,
    setEnterSends,
    letterKeys,
    setLetterKeys,
    replyAnnouncements,
    setReplyAnnouncements,
  }
}
