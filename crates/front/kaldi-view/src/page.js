"use strict";
// Sorts the table of findings, and shows those of one rule. Without it, everything is shown.
{
  const all = (name) => [...document.querySelectorAll(`[data-testid="${name}"]`)];
  const one = (name) => document.querySelector(`[data-testid="${name}"]`);
  const groups = all("group"), cards = all("utterance"), links = all("rule"), count = one("count");
  const table = document.querySelector("table.findings"), more = document.getElementById("more");
  const explained = document.getElementById("explained");
  /** Groups in sight on a small screen, until more are asked for. */
  const FEW = 40;
  /** The rule that is chosen, and the order of the table. */
  let rule = "", column = "sort-score", isTurned = false;

  /** Marks what has no room on a small screen. */
  const cut = () => {
    let number = 0;
    for (const group of table.tBodies) {
      if (group.hidden) continue;
      number += 1;
      group.classList.toggle("beyond", number > FEW);
    }
    more.textContent = `Show all ${number}`;
    more.hidden = number <= FEW || table.classList.contains("whole");
  };

  /** Shows the groups and cards with a rule; all if there is no such rule. */
  const choose = (name) => {
    const link = links.find((other) => other.dataset.rule === name);
    rule = link ? name : "";
    const has = (element) => !rule || element.dataset.rules.split(" ").includes(rule);
    for (const element of [...groups, ...cards]) element.hidden = !has(element);
    for (const other of [one("all"), ...links]) {
      if (other === (link || one("all"))) other.setAttribute("aria-current", "true");
      else other.removeAttribute("aria-current");
    }
    const number = groups.filter((group) => !group.hidden).length;
    count.textContent = `${number} of ${groups.length} utterances`;
    const meaning = link && document.querySelector(`.meanings [data-rule="${rule}"]`);
    explained.hidden = !meaning;
    explained.textContent = meaning ? `${rule}: ${meaning.textContent}` : "";
    cut();
  };

  /** Brings what a link names into sight. */
  const reveal = (element) => {
    for (let box = element; box; box = box.parentElement) if (box.tagName === "DETAILS") box.open = true;
    if (element.closest("[hidden]")) choose("");
    if (element.offsetParent === null && element.classList.contains("beyond")) showAll();
    element.scrollIntoView();
  };

  const showAll = () => {
    table.classList.add("whole");
    cut();
  };

  /** Follows the fragment of the address. */
  const follow = (hash, isStart) => {
    let name = "";
    try { name = decodeURIComponent(hash.slice(1)); } catch { /* What cannot be read names nothing. */ }
    if (name.startsWith("rule=")) {
      choose(name.slice(5));
      if (isStart && rule) one("findings").scrollIntoView?.();
    } else if (!name || name === "findings") choose("");
    else {
      const element = document.getElementById(name);
      if (element) reveal(element);
    }
  };

  const sorts = ["sort-utterance", "sort-findings", "sort-score"];
  const rank = new Map(groups.map((group, index) => [group, index]));
  const orders = {
    "sort-utterance": (left, right) => (left.dataset.key < right.dataset.key ? -1 : left.dataset.key > right.dataset.key ? 1 : 0),
    "sort-findings": (left, right) => right.rows.length - left.rows.length,
    "sort-score": (left, right) => right.dataset.score - left.dataset.score,
  };

  const sort = (name) => {
    isTurned = name === column && !isTurned;
    column = name;
    const sign = isTurned ? -1 : 1;
    const sorted = [...groups].sort((left, right) => sign * orders[name](left, right) || rank.get(left) - rank.get(right));
    table.append(...sorted);
    for (const other of sorts) {
      const isUp = (name === "sort-utterance") !== isTurned;
      one(other).closest("th").setAttribute("aria-sort", other !== name ? "none" : isUp ? "ascending" : "descending");
    }
    cut();
  };

  if (table) {
    for (const name of sorts) one(name).addEventListener("click", () => sort(name));
    more.addEventListener("click", showAll);
    document.addEventListener("click", (event) => {
      const link = event.target.closest("a[href^='#']");
      // At once, and not only when the address has changed.
      if (link && (link.dataset.testid === "rule" || link.dataset.testid === "all")) follow(link.hash, false);
      else if (link) {
        const element = document.getElementById(decodeURIComponent(link.hash.slice(1)));
        if (element) reveal(element);
      }
    });
    addEventListener("hashchange", () => follow(location.hash, false));
    cut();
    follow(location.hash, true);
  }

  // A small screen starts with few charts; paper has all.
  const charts = document.querySelector(".charts-more");
  if (charts) {
    const small = matchMedia("(max-width: 40rem)");
    const fold = () => { charts.open = !small.matches; };
    small.addEventListener("change", fold);
    addEventListener("beforeprint", () => { charts.open = true; });
    addEventListener("afterprint", fold);
    fold();
  }
}
