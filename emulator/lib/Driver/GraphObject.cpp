//===- GraphObject.cpp ----------------------------------------------------===//
#include "Graph.h"

#include "GraphMemory.h"
#include "KernelWork.h"
#include "Process.h"

#include <algorithm>

namespace cheems::emulator::driver {

Graph::~Graph() {
  for (const auto &node : nodes) {
    process().nodes.remove(node->handle);
  }
}

Node &Graph::add(std::unique_ptr<Work> work, const std::vector<Edge> &before) {
  auto node = std::make_shared<Node>();
  node->graph = this;
  node->work = std::move(work);
  node->handle = process().nodes.add(node);
  nodes.push_back(node);
  for (const Edge &edge : before) {
    addEdge(*edge.node, *node, edge.data);
  }
  return *node;
}

void Graph::addEdge(Node &from, Node &to, const CUgraphEdgeData &data) {
  for (const Edge &edge : to.before) {
    if (edge.node == &from) {
      return;
    }
  }
  to.before.push_back({&from, data});
  from.after.push_back({&to, data});
}

void Graph::removeEdge(Node &from, Node &to) {
  std::erase_if(to.before,
                [&](const Edge &edge) { return edge.node == &from; });
  std::erase_if(from.after, [&](const Edge &edge) { return edge.node == &to; });
}

void Graph::remove(Node &node) {
  while (!node.before.empty()) {
    removeEdge(*node.before.back().node, node);
  }
  while (!node.after.empty()) {
    removeEdge(node, *node.after.back().node);
  }
  process().nodes.remove(node.handle);
  std::erase_if(nodes, [&](const auto &other) { return other.get() == &node; });
}

std::shared_ptr<Graph> Graph::clone(bool withHandles) const {
  auto copy = std::make_shared<Graph>();
  copy->original = handle;
  std::map<const Node *, Node *> copies;
  for (const auto &node : nodes) {
    auto twin = std::make_shared<Node>();
    twin->graph = copy.get();
    twin->work = node->work->clone();
    twin->original = node->handle;
    if (withHandles) {
      twin->handle = process().nodes.add(twin);
    }
    copies[node.get()] = twin.get();
    copy->nodes.push_back(std::move(twin));
  }
  for (const auto &node : nodes) {
    for (const Edge &edge : node->before) {
      copy->addEdge(*copies[edge.node], *copies[node.get()], edge.data);
    }
  }
  return copy;
}

std::vector<Node *> Graph::inOrder() const {
  std::map<const Node *, size_t> left;
  std::vector<Node *> order;
  for (const auto &node : nodes) {
    left[node.get()] = node->before.size();
    if (node->before.empty()) {
      order.push_back(node.get());
    }
  }
  for (size_t i = 0; i < order.size(); ++i) {
    for (const Edge &edge : order[i]->after) {
      if (--left[edge.node] == 0) {
        order.push_back(edge.node);
      }
    }
  }
  return order.size() == nodes.size() ? order : std::vector<Node *>();
}

Node &GraphExec::at(CUgraphNode source) {
  for (const auto &node : graph->nodes) {
    if (node->original == source) {
      return *node;
    }
  }
  fail(CUDA_ERROR_INVALID_VALUE);
}

std::unique_ptr<Work> ChildGraphWork::clone() const {
  return std::make_unique<ChildGraphWork>(graph->clone(false));
}

std::shared_ptr<Graph> findGraph(CUgraph handle) {
  return process().graphs.get(handle, CUDA_ERROR_INVALID_VALUE);
}

Node &findNode(CUgraphNode handle) {
  return *process().nodes.get(handle, CUDA_ERROR_INVALID_VALUE);
}

namespace {

/// Submits nodes; those without any before them come after `first`. Gives what
/// ends the graph.
std::vector<Dependency> submit(Context &context, const Graph &graph,
                               const std::map<CUgraphNode, bool> &disabled,
                               const std::vector<Dependency> &first) {
  std::map<const Node *, std::vector<Dependency>> ends;
  std::vector<Dependency> last;
  for (Node *node : graph.inOrder()) {
    std::vector<Dependency> before;
    for (const Edge &edge : node->before) {
      for (Dependency end : ends[edge.node]) {
        end.programmatic = edge.isProgrammatic() && end.on->releasesDependents;
        before.push_back(end);
      }
    }
    if (node->before.empty()) {
      before = first;
    }
    auto found = disabled.find(node->original);
    bool isOff = found != disabled.end() && found->second;
    if (auto *child = dynamic_cast<ChildGraphWork *>(node->work.get())) {
      before = submit(context, *child->graph, {}, before);
    }
    if (auto *kernel = dynamic_cast<KernelWork *>(node->work.get())) {
      // Functions of a context that is gone, or of another one.
      require(kernel->module->context.get() == &context,
              CUDA_ERROR_INVALID_HANDLE);
    }
    auto *event = dynamic_cast<EventWork *>(node->work.get());
    if (event && event->kind == CU_GRAPH_NODE_TYPE_WAIT_EVENT) {
      if (auto recorded = recordedHere(context, findEvent(event->event))) {
        before.push_back({recorded});
      }
    }
    submitMemoryNode(context, *node->work);
    auto operation = context.queue.add(
        isOff ? std::make_unique<EmptyWork>() : node->work->clone(), before);
    if (event && event->kind == CU_GRAPH_NODE_TYPE_EVENT_RECORD) {
      findEvent(event->event).recorded = operation;
    }
    ends[node] = {{operation}};
    if (node->after.empty()) {
      last.push_back({operation});
    }
  }
  return last.empty() ? first : last;
}

} // namespace

void launchGraph(Context &context, Stream &stream, const Graph &graph,
                 const std::map<CUgraphNode, bool> &disabled) {
  if (stream.isLegacy()) {
    refuseImplicitDependency(context);
  }
  auto last = submit(context, graph, disabled, before(context, stream));
  stream.tails = {{context.queue.add(std::make_unique<EmptyWork>(), last)}};
}

} // namespace cheems::emulator::driver
