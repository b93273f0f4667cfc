// A turn with five calls at once, decided by keyboard alone, in the real editor with the real server.
import assert from "node:assert/strict";
import { scenario, until } from "../driver.mjs";
import { faults } from "../page/axe.mjs";
import { CONFIG, recorded, startWith } from "./workspace.mjs";

const note = (text) => ["append_note", { text }];
const { server, folder, data } = await startWith(
  "conversation",
  [
    ["I do **five** things.", note("unasked"), note("milk"), ["lines", {}], note("bread"), ["fails", {}]],
    "# Done\n\nAll of it, see `notes.md`.",
  ],
  {
    files: {
      ".jp/tools/lines.toml": '[conversation.tools.lines]\nsource = "local"\nrun = "unattended"\ncommand = { program = "seq", args = ["3000"] }\n',
      ".jp/tools/fails.toml": '[conversation.tools.fails]\nsource = "local"\nrun = "unattended"\ncommand = { program = "sh", args = ["-c", "echo broken; exit 3"] }\n',
    },
  },
);
const notes = (window) => window.saved("notes.md").trim().split("\n");
const calls = (page) => page.locator(".entry.call").evaluateAll((all) => all.map((it) => it.dataset.state));

/** Whether the browser's store says that the tab is open, and what it shows: the editor writes there when it is idle. */
async function isTabKept() {
  const kept = (name) =>
    new Promise((resolve, reject) => {
      const opening = indexedDB.open(name);
      opening.onerror = () => reject(opening.error);
      opening.onsuccess = () => {
        const database = opening.result;
        const values = database.transaction("ItemTable").objectStore("ItemTable").getAll();
        values.onerror = () => reject(values.error);
        values.onsuccess = () => {
          database.close();
          const isShown = (value) => value.includes("mainThreadWebview-jp.conversation") && /jp-c\d{5}/.test(value);
          resolve(values.result.map(String).some(isShown));
        };
      };
    });
  const names = (await indexedDB.databases()).map(({ name }) => name);
  const stores = await Promise.all(names.filter((name) => name.startsWith("vscode-web-state-db-")).map(kept));
  return stores.some(Boolean);
}

await scenario(server, folder, CONFIG, {
  "a conversation begins in its tab": async (window) => {
    await until("the model", async () => (await window.status().innerText()).includes("test/scripted"), 90000);
    await window.command("JP: New Conversation");
    const page = await window.conversation();
    await page.locator("#box:focus").waitFor();
    await window.page.keyboard.type("Do five things,");
    await window.page.keyboard.press("Shift+Enter");
    await window.page.keyboard.type("please.");
    await window.page.keyboard.press("Enter");
    await page.locator(".prompt").waitFor();
  },
  "each call has its own state and its own result": async (window) => {
    const page = await window.conversation();
    await until("the others to be done", async () => (await calls(page)).join() === "done,waiting,done,deciding,failed");
    assert.match(await page.locator(".prompt").innerText(), /Run local append_note tool\?\s+Asked by rule 2, \.jp\/tools\/append_note\.toml:7\s+sh tools\/append\.sh milk/);
    const result = page.locator(".entry.call").nth(2).locator("[data-part=result]");
    assert.match(await result.innerText(), /^1\n2\n(.|\n)*12\s*$/);
    await page.getByRole("button", { name: "Show all 3,000 lines" }).waitFor();
    const error = page.locator(".entry.call").nth(4).locator("[data-part=result]");
    assert.equal(await error.innerText(), "message: Tool 'fails' execution failed.\nended: status 3\nstdout:\n  broken");
    await window.picture("conversation");
  },
  "two of them are decided by key": async (window) => {
    const page = await window.conversation();
    await window.page.keyboard.press("Control+Alt+j");
    await page.locator(".prompt button:focus", { hasText: "Reject" }).waitFor();
    // A key counts once the prompt has been there for a while.
    await until("milk", async () => {
      if (notes(window).includes("milk")) return true;
      if ((await page.locator(".prompt", { hasText: "milk" }).count()) > 0) await window.page.keyboard.press("4");
      return false;
    });
    await page.locator(".prompt", { hasText: "bread" }).waitFor();
    await page.locator(".prompt button:focus", { hasText: "Reject" }).waitFor();
    await until("the answer", async () => {
      if ((await page.locator("h3", { hasText: "Done" }).count()) > 0) return true;
      if ((await page.locator(".prompt", { hasText: "bread" }).count()) > 0) await window.page.keyboard.press("1");
      return false;
    });
    assert.deepEqual(await calls(page), ["done", "done", "done", "refused", "failed"]);
    assert.deepEqual(notes(window), ["unasked", "milk"]);
    assert.ok(recorded(data).includes("Do five things,\\nplease."));
  },
  "it is readable in every theme, and axe-core finds no fault": async (window) => {
    const page = await window.conversation();
    const themes = [
      ["Default Light Modern", "vscode-light"],
      ["Default Dark Modern", "vscode-dark"],
      ["Default High Contrast", "vscode-high-contrast"],
    ];
    for (const [theme, its] of themes) {
      window.set("workbench.colorTheme", theme);
      await page.locator(`body.${its}`).waitFor();
      await window.shot(its);
      assert.deepEqual(await faults(page), [], theme);
    }
  },
  "it is there again after the window was reloaded": async (window) => {
    // Without the file that the scenario opens, which the editor would show instead of what was open.
    const address = `http://${server.hostPort}/?folder=${encodeURIComponent(folder)}`;
    await until("the editor to have kept which tabs are open", () => window.page.evaluate(isTabKept), 60000);
    await window.page.goto(address, { waitUntil: "domcontentloaded" });
    await window.says("All of it, see");
    const page = await window.conversation();
    assert.deepEqual(await calls(page), ["done", "done", "done", "refused", "failed"]);
  },
  "it goes on where it was": async (window) => {
    const page = await window.conversation();
    await until("a server", async () => (await window.status().innerText()).includes("test/scripted"), 90000);
    await page.locator("#box").focus();
    await window.page.keyboard.type("Go on.");
    await window.page.keyboard.press("Enter");
    await page.locator(".entry.user", { hasText: "Go on." }).waitFor();
    // The model of a new server begins its script anew.
    await page.locator(".prompt", { hasText: "milk" }).waitFor();
  },
  "a box that was behind another tab takes the focus": async (window) => {
    await window.command("JP: New Conversation");
    await window.takesFocus();
    // It opens in the column of the conversations, before them.
    await window.page.keyboard.press("Control+p");
    await window.quickInput().fill(CONFIG);
    await window.page.locator(".quick-input-list .monaco-list-row", { hasText: "config.toml" }).first().click();
    await window.page.locator(".tab.active", { hasText: "config.toml" }).first().waitFor();
    await window.command("JP: New Conversation");
    await window.takesFocus();
  },
});
