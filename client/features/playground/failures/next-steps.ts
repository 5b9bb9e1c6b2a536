import { untrack } from 'solid-js'
import type { Reply } from '#client/features/playground/conversation/conversation.ts'
import type { SliderName } from '#client/features/playground/conversation/settings.ts'
import { t } from '#client/features/playground/messages/messages.ts'
import type { PageContext } from '#client/features/playground/state/page-context.ts'
import type { NextStep } from './explain-failure.ts'

/** Carries out the step the user chose after a failure. `named` is the parameter for `turnOff`. */
export function performNextStep(page: PageContext, reply: Reply, step: NextStep, named: SliderName | null): void {
  const { playground, actions, view } = page
  const settings = untrack(() => playground.conversation().settings)
  switch (step) {
    case 'signIn':
      page.signIn()
      return
    case 'retry':
      actions.regenerate(reply.id)
      return
    case 'otherModel':
      view.openRegenerateDialog(reply.id)
      return
    case 'continue':
      actions.send(t('continuePrompt'))
      return
    case 'parameters':
      view.setPanel('parameters')
      focusParameters()
      return
    case 'newChat':
      playground.open(null)
      return
    case 'lowerMax': {
      const now = settings.maxTokens.on ? settings.maxTokens.value : 2048
      playground.setSettings({ maxTokens: { on: true, value: Math.max(16, Math.floor(now / 2)) } })
      actions.regenerate(reply.id)
      return
    }
    case 'trim':
      actions.trim(reply.id)
      return
    case 'turnOff':
      if (named !== null) playground.setSettings({ [named]: { ...settings[named], on: false } })
      actions.regenerate(reply.id)
      return
  }
}

/** Frames in which the panel may still be loading. */
const mostFrames = 120

/** Focuses the first invalid parameter, or the panel's heading, once the panel is there. */
function focusParameters(frame = 0): void {
  requestAnimationFrame(() => {
    const panel = [...document.querySelectorAll('.panel:not([hidden]), .panel-sheet')].find((one) => one.querySelector('.panel-body'))
    // A sheet takes the focus itself when it opens, a moment after it is in the document.
    const isComing = panel?.matches('.panel-sheet') && !panel.contains(document.activeElement)
    if (panel === undefined || isComing) {
      if (frame < mostFrames) focusParameters(frame + 1)
      return
    }
    const wrong = panel.querySelector<HTMLElement>('[aria-invalid="true"]')
    wrong?.scrollIntoView({ block: 'center' })
    const target = wrong ?? panel.querySelector<HTMLElement>('h2')
    target?.focus({ preventScroll: true })
  })
}
